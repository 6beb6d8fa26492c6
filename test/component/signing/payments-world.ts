/** Payments through a facilitator whose sponsor signs elsewhere, and what an outage of the signer must leave as it was. */
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { SignerPlace } from '../../../src/signing/signer-place.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import { unit } from '../../support/stack.ts'
import { openWorld, type World } from '../payments/world.ts'

export const network = 'stellar:testnet'
export const CHANNELS = 2

export interface SignerWorld extends AsyncDisposable {
  readonly world: World
  readonly channelSecret: string
  /** Of the signer, as the facilitator knows it. */
  health(): unknown
  untilItWorks(): Promise<void>
  /** Codes of the warnings of /health, as of now. */
  warnings(): Promise<readonly string[]>
  /** What stays as it is while nothing is signed: XLM of the sponsor, transactions, claims and leases. */
  untouched(): Promise<object>
}

interface Options {
  /** `G...` */
  readonly sponsor: string
  readonly place: SignerPlace
  /** @default longer than the restart of a library takes on a busy machine */
  readonly signerTimeoutMs?: number
}

export async function openSignerWorld(options: Options): Promise<SignerWorld> {
  const { sponsor, place, signerTimeoutMs = 10_000 } = options
  const channelSecret = secretOfSeed(randomBytes(32))
  const world = await openWorld({
    timings: { monitorMs: 100, reopenMs: 200 },
    network: async (localnet) => {
      await localnet.pay({ address: sponsor, asset: 'XLM', amount: 1_000n * unit })
      return {
        sponsorSecret: undefined,
        sponsorAddress: sponsor,
        sponsorSigner: place,
        channelSecret,
        channelCount: CHANNELS,
        signerTimeoutMs,
      }
    },
  })
  const { stack } = world
  const served = () => stack.facilitator.networks.get(network)
  const health = () => served()?.signer?.health
  return {
    world,
    channelSecret,
    health,
    untilItWorks: () => expect.poll(health, { timeout: 60_000 }).toEqual({ state: 'works' }),
    warnings: async () => {
      await stack.facilitator.health.poll()
      const { warnings } = (await stack.get('/health')).body
      return warnings.map(({ code }: { readonly code: string }) => code)
    },
    untouched: async () => {
      const { db } = stack.store
      const inProgress = ['claimed', 'submitted'] as const
      return {
        balance: (await served()?.rpc.accounts([sponsor]))?.get(sponsor)?.balance,
        sent: stack.taken.length,
        settlements: await db
          .selectFrom('settlements')
          .select('state')
          .where('state', 'in', inProgress)
          .execute(),
        leases: await db
          .selectFrom('channels')
          .select('index')
          .where('lease_owner', 'is not', null)
          .execute(),
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** The signer could not be used: the answer of /settle says so, and when to come again. */
export function expectOutage({
  status,
  headers,
  body,
}: {
  readonly status: number
  readonly headers: Headers
  readonly body: object
}): void {
  expect(body).toMatchObject({ success: false, transaction: '' })
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('1')
}
