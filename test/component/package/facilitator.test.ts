import { randomBytes } from 'node:crypto'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import {
  createFacilitator,
  FacilitatorError,
  type FacilitatorOptions,
  type NetworkOptions,
} from 'stellar-x402/facilitator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { openWallet, type PaymentPlan, payment } from '../../support/payments.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { startPromptLocalnet } from '../../support/prompt-localnet.ts'

const UNIT = 10_000_000n
let localnet: LocalnetServer

beforeAll(async () => {
  localnet = await startPromptLocalnet()
})
afterAll(() => localnet.close())

/** Options of a network with a sponsor that has the means. */
async function sponsored(): Promise<NetworkOptions> {
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: 1_000n * UNIT })
  return { rpcUrls: [localnet.httpUrl], sponsorSecret: secretOfSeed(seed), channels: 1 }
}

const onStore = async (store: FacilitatorOptions['store']): Promise<FacilitatorOptions> => ({
  networks: { 'stellar:testnet': await sponsored() },
  store,
})

const onPostgres = ({ url }: TestDatabase) => onStore({ kind: 'postgres', url })

/** What a stock server passes on: the payment, and the requirements that it checked. */
type Paid = readonly [PaymentPayload, PaymentRequirements]

async function signed(plan: Partial<PaymentPlan> = {}): Promise<Paid> {
  const [payer, { address: payTo }] = [await openWallet(localnet), await openWallet(localnet)]
  const body = await payment(localnet, { payer, payTo, ...plan })
  return [body.paymentPayload, body.paymentRequirements] as unknown as Paid
}

describe('a facilitator in this process', () => {
  it('is what stock servers take as a client of one, and answers as one over HTTP does', async () => {
    await using facilitator = await createFacilitator(await onStore({ kind: 'memory' }))
    const client: FacilitatorClient = facilitator

    const { kinds, signers } = await client.getSupported()
    expect(kinds).toContainEqual({
      x402Version: 2,
      scheme: 'exact',
      network: 'stellar:testnet',
      extra: { areFeesSponsored: true },
    })
    expect(signers['stellar:*']).toHaveLength(2)

    const paid = await signed()
    expect(await client.verify(...paid)).toMatchObject({ isValid: true })
    const first = await client.settle(...paid)
    expect(first).toMatchObject({ success: true, network: 'stellar:testnet' })
    expect(await client.settle(...paid)).toEqual(first)

    const [payload, requirements] = await signed()
    const dearer = { ...requirements, amount: String(BigInt(requirements.amount) + 1n) }
    expect(await client.verify(payload, dearer)).toMatchObject({ isValid: false })
    expect(await client.settle(payload, dearer)).toMatchObject({ success: false, transaction: '' })
  })

  it('runs beside another one in the same process, with a store and a sponsor of its own', async () => {
    await using one = await freshDatabase()
    await using other = await freshDatabase()
    await using first = await createFacilitator(await onPostgres(one))
    await using second = await createFacilitator(await onPostgres(other))
    const signersOf = async (each: typeof first) => (await each.getSupported()).signers['stellar:*']
    expect(await signersOf(first)).not.toEqual(await signersOf(second))

    const settled = await Promise.all(
      [first, second].map(async (each) => each.settle(...(await signed()))),
    )
    expect(settled).toMatchObject([{ success: true }, { success: true }])

    await first.close()
    expect(await second.settle(...(await signed()))).toMatchObject({ success: true })
  })

  it('settles a payment once when two on one Postgres get it at the same time', async () => {
    await using database = await freshDatabase()
    const options = await onPostgres(database)
    await using first = await createFacilitator(options)
    await using second = await createFacilitator(options)
    const paid = await signed()

    const [one, other] = await Promise.all([first.settle(...paid), second.settle(...paid)])

    expect(one).toMatchObject({ success: true })
    expect(other).toEqual(one)
  })

  it('finishes the settlements under way before it has closed', async () => {
    await using database = await freshDatabase()
    const facilitator = await createFacilitator(await onPostgres(database))
    const settling = facilitator.settle(...(await signed()))
    await facilitator.close()
    expect(await settling).toMatchObject({ success: true })

    await facilitator.close()
    const late = await facilitator.getSupported().catch((error: unknown) => error)
    expect(late).toMatchObject({ code: 'service_unavailable', retryable: false })
  })

  it('throws an error that says to try again while the network does not answer', async () => {
    await using database = await freshDatabase()
    const network = { ...(await sponsored()), rpcUrls: ['http://127.0.0.1:9'] }
    await using facilitator = await createFacilitator({
      ...(await onPostgres(database)),
      networks: { 'stellar:testnet': network },
    })
    const failure = await facilitator.verify(...(await signed())).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(FacilitatorError)
    expect(failure).toMatchObject({ code: 'service_unavailable', status: 503, retryable: true })
  })

  it('logs where it is told to', async () => {
    const lines: string[] = []
    await using database = await freshDatabase()
    await using facilitator = await createFacilitator({
      ...(await onPostgres(database)),
      log: { write: (line) => lines.push(line) },
    })
    await facilitator.settle(...(await signed()))
    const logged = lines.map((line) => JSON.parse(line))
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'Payment answered', level: 'info' }),
    )
  })
})

describe('createFacilitator', () => {
  it.each<{ when: string; options: Partial<NetworkOptions>; problem: string }>([
    {
      when: 'the seed is none',
      options: { sponsorSecret: 'S' },
      problem: "networks['stellar:testnet'].sponsorSecret",
    },
    {
      when: 'there are no channels',
      options: { channels: 0 },
      problem: "networks['stellar:testnet'].channels",
    },
    {
      when: 'a setting is wrong',
      options: { settings: { TIMEOUT_MAX_SECONDS: 'long' } },
      problem: "networks['stellar:testnet'].settings.TIMEOUT_MAX_SECONDS",
    },
    {
      when: 'an endpoint is public and not https',
      options: { rpcUrls: ['http://rpc.example'] },
      problem: 'https',
    },
    {
      when: 'a setting has no such name',
      options: { settings: { CHANNELS: '3' } },
      problem: 'CHANNELS',
    },
  ])('refuses to start when $when', async ({ options, problem }) => {
    const network: NetworkOptions = {
      rpcUrls: [localnet.httpUrl],
      sponsorSecret: secretOfSeed(randomBytes(32)),
      ...options,
    }
    const starting = createFacilitator({
      networks: { 'stellar:testnet': network },
      store: { kind: 'memory' },
    })
    await expect(starting).rejects.toThrow(problem)
  })

  it('names the option that leads to a database which does not answer', async () => {
    const starting = createFacilitator({
      networks: {
        'stellar:testnet': {
          rpcUrls: [localnet.httpUrl],
          sponsorSecret: secretOfSeed(randomBytes(32)),
        },
      },
      store: { kind: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' },
    })
    await expect(starting).rejects.toThrow('port in store.url')
  })

  it('refuses a store that forgets payments on the public network', async () => {
    const starting = createFacilitator({
      networks: {
        'stellar:pubnet': {
          rpcUrls: ['https://rpc.example'],
          sponsorSecret: secretOfSeed(randomBytes(32)),
        },
      },
      store: { kind: 'memory' },
    })
    await expect(starting).rejects.toThrow('a restart would forget payments')
    await expect(starting).rejects.not.toThrow(/STORE|NETWORKS|PUBNET_|DATABASE_URL/)
  })
})
