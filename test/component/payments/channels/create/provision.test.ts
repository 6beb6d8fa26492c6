import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type LocalnetServer,
  startLocalnetServer,
} from '../../../../../src/localnet/server/server.ts'
import { ProvisionFailure } from '../../../../../src/payments/channels/create/create-channels.ts'
import { provisionChannels } from '../../../../../src/payments/channels/create/provision.ts'
import { channelSigner } from '../../../../../src/payments/channels/derive.ts'
import { keysOfSeed } from '../../../../../src/payments/channels/sponsor-keys.ts'
import { listChannels } from '../../../../../src/payments/store/channels/channel.ts'
import { asStroops, type Stroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { accountEntry, transactionsAfter } from '../../../../support/ledger-view.ts'
import { startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { openEmptyStore } from '../../../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const LUMEN = 10_000_000n
const inclusionFee = asStroops(100n)
const OPERATIONS_PER_CHANNEL = 3n

/** How far the network's time is ahead of the machine's. */
let skewMs = 0
const networkClock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs }

let localnet: LocalnetServer
let store: Store
beforeAll(async () => {
  localnet = await startLocalnetServer({ closeEveryMs: 'manual', clock: networkClock })
  store = await openEmptyStore()
})
afterAll(async () => {
  await store.close()
  await localnet.close()
})

/** A sponsor that exists neither on the ledger nor in the store. */
interface Sponsor {
  readonly secret: string
  readonly address: string
  readonly startedAt: number
}

let sponsor: Sponsor
beforeEach(() => {
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  const startedAt = localnet.network.latest.sequence
  sponsor = { secret: secretOfSeed(seed), address, startedAt }
})

const fund = (amount: bigint) => localnet.pay({ address: sponsor.address, asset: 'XLM', amount })

/** Each sleep closes a ledger, so that no test waits for time to pass. */
const closingClock: Clock = {
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
}

interface Provisioning {
  readonly keepSpendable?: Stroops
  readonly rpcUrl?: string
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

const provision = (count: number, { rpcUrl, ...overrides }: Provisioning = {}) =>
  provisionChannels({
    keepSpendable: asStroops(0n),
    network,
    keys: keysOfSeed(sponsor.secret),
    count,
    inclusionFee,
    rpc: rpcClient({ url: rpcUrl ?? localnet.httpUrl, allowHttp: true }),
    store,
    clock: closingClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
    ...overrides,
  })

const accounts = (count: number) =>
  Array.from({ length: count }, (_, index) => channelSigner(sponsor.secret, network, index).address)

/** One account on the ledger, in numbers. */
function ledgerState(address: string) {
  const { balance, seqNum, numSubEntries, ext } = accountEntry(localnet.network, address)
  const second = ext.type === 'v1' && ext.v1.ext.type === 'v2' ? ext.v1.ext.v2 : undefined
  return {
    balance,
    sequence: seqNum,
    subentries: numSubEntries,
    sponsored: second?.numSponsored ?? 0,
    sponsoring: second?.numSponsoring ?? 0,
  }
}

const envelopes = () => transactionsAfter(localnet.network, sponsor.startedAt).slice(1)
const rows = () => listChannels(store.db, network, sponsor.address)

describe('provisioning channels', () => {
  it('creates them with a balance of zero and sponsored reserves', async () => {
    await fund(10n * LUMEN)
    await provision(3)
    for (const account of accounts(3)) {
      expect(ledgerState(account)).toMatchObject({
        balance: 0n,
        subentries: 0,
        sponsored: 2,
        sponsoring: 0,
      })
    }
    expect(ledgerState(sponsor.address)).toMatchObject({
      balance: 10n * LUMEN - inclusionFee * OPERATIONS_PER_CHANNEL * 3n,
      sponsoring: 6,
      sponsored: 0,
    })
  })

  it('stores each with its index, its account and the sequence number the ledger gave it', async () => {
    await fund(10n * LUMEN)
    await provision(3)
    expect(await rows()).toEqual(
      accounts(3).map((account, index) => ({
        network,
        sponsor: sponsor.address,
        index,
        account,
        state: 'active',
        sequence: ledgerState(account).sequence,
        isLeased: false,
        lastUsedAt: undefined,
      })),
    )
  })

  it('creates nothing when all exist', async () => {
    await fund(10n * LUMEN)
    await provision(2)
    const before = { rows: await rows(), sponsor: ledgerState(sponsor.address) }
    await provision(2)
    await provision(1)
    expect({ rows: await rows(), sponsor: ledgerState(sponsor.address) }).toEqual(before)
    expect(envelopes()).toHaveLength(1)
  })

  it('creates the missing ones for a larger count', async () => {
    await fund(10n * LUMEN)
    await provision(2)
    await provision(5)
    expect((await rows()).map(({ account }) => account)).toEqual(accounts(5))
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 10 })
    expect(envelopes()).toHaveLength(2)
  })

  it('creates more than one envelope takes', async () => {
    await fund(100n * LUMEN)
    await provision(41)
    expect(await rows()).toHaveLength(41)
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 82 })
    expect(envelopes().map(({ successful }) => successful)).toEqual([true, true, true])
  })

  it('finds on the ledger the channels that an empty store lacks', async () => {
    await fund(10n * LUMEN)
    await provision(3)
    const before = await rows()
    await store.db.deleteFrom('channels').where('sponsor', '=', sponsor.address).execute()
    await provision(3)
    expect(await rows()).toEqual(before)
    expect(envelopes()).toHaveLength(1)
  })

  it('fills in the gaps among those that exist', async () => {
    await fund(10n * LUMEN)
    await provision(1)
    const third = accounts(3)[2] ?? ''
    await localnet.pay({ address: third, asset: 'XLM', amount: 2n * LUMEN })
    await provision(4)
    expect((await rows()).map(({ account }) => account)).toEqual(accounts(4))
    expect(ledgerState(third)).toMatchObject({ balance: 2n * LUMEN, sponsored: 0 })
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 6 })
  })

  it('provisions none when asked for none', async () => {
    await provision(0)
    expect(await rows()).toEqual([])
  })

  it('creates each once when several processes do it at the same time', async () => {
    await fund(100n * LUMEN)
    await Promise.all([provision(25), provision(25), provision(25)])
    expect((await rows()).map(({ account }) => account)).toEqual(accounts(25))
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 50 })
    expect(envelopes().filter(({ successful }) => successful)).toHaveLength(2)
  })

  it('creates each once when processes of different counts do it at the same time', async () => {
    await fund(100n * LUMEN)
    await Promise.all([provision(3), provision(22), provision(7)])
    expect((await rows()).map(({ account }) => account)).toEqual(accounts(22))
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 44 })
  })

  it('says that a sponsor that does not exist needs XLM', async () => {
    await expect(provision(2)).rejects.toThrow(
      new ProvisionFailure(
        `sponsor ${sponsor.address} does not exist on ${network}: send it XLM first`,
      ),
    )
    expect(await rows()).toEqual([])
  })

  it('says what a sponsor that cannot afford the reserves has and needs', async () => {
    await fund(25_000_000n)
    const failure = await provision(2).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ProvisionFailure)
    expect(failure).toMatchObject({
      message:
        `sponsor ${sponsor.address} can spend 1.5 XLM of its 2.5 XLM: 2 channels cost 2.1 XLM, most of it ` +
        `locked, and 0 XLM must be left to spend: send 0.6 XLM to ${sponsor.address} on ${network}`,
    })
    expect(await rows()).toEqual([])
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 0 })
  })

  it('says the same of a sponsor that cannot even afford the fee', async () => {
    await fund(LUMEN)
    await expect(provision(2)).rejects.toThrow(
      /can spend 0 XLM of its 1 XLM: .*: send 2\.1 XLM to /,
    )
  })

  it('creates none of them for a sponsor that cannot pay for all, until it has received XLM', async () => {
    await fund(21n * LUMEN)
    await expect(provision(25)).rejects.toThrow(ProvisionFailure)
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 0 })
    await fund(20n * LUMEN)
    await provision(25)
    expect((await rows()).map(({ account }) => account)).toEqual(accounts(25))
  })

  it('leaves what settlements need: a stroop too little, and it creates none', async () => {
    const keepSpendable = asStroops(25n * LUMEN)
    // One for the account itself, two for the channels with their fees, and one more operation for a fee bump.
    const needed =
      25n * LUMEN + LUMEN + 2n * (LUMEN + OPERATIONS_PER_CHANNEL * inclusionFee) + inclusionFee
    await fund(needed - 1n)
    await expect(provision(2, { keepSpendable })).rejects.toThrow(': send 0.1 XLM to ')
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 0 })
    await fund(1n)
    await provision(2, { keepSpendable })
    expect(ledgerState(sponsor.address)).toMatchObject({ sponsoring: 4 })
  })

  it('stops waiting for a ledger when its signal aborts', async () => {
    await fund(10n * LUMEN)
    const stop = new AbortController()
    const reason = new Error('the facilitator is stopping')
    const clock: Clock = {
      now: () => 0,
      sleep: (ms, signal) => {
        queueMicrotask(() => stop.abort(reason))
        return systemClock.sleep(ms, signal)
      },
    }
    await expect(provision(2, { clock, signal: stop.signal })).rejects.toBe(reason)
    await localnet.closeLedger()
  })

  it('sends again what no ledger included in time', async () => {
    await using proxy = await startRpcProxy()
    const rpcUrl = proxy.forwardTo(localnet.httpUrl)
    await fund(10n * LUMEN)
    proxy.fail('sendTransaction', { kind: 'swallow' }, 1)
    const clock: Clock = {
      now: () => systemClock.now(),
      sleep: async () => {
        skewMs += 20_000
        await localnet.closeLedger()
      },
    }
    await provision(2, { rpcUrl, clock })
    expect(proxy.count('sendTransaction')).toBe(2)
    expect(await rows()).toHaveLength(2)
  })

  it('tries again while the network is busy, and gives up in the end', async () => {
    await using proxy = await startRpcProxy()
    const rpcUrl = proxy.forwardTo(localnet.httpUrl)
    await fund(10n * LUMEN)
    const busy = (result: object) => ({ ...result, status: 'TRY_AGAIN_LATER' })
    proxy.fail('sendTransaction', { kind: 'rewrite', change: busy })
    // The "refused" transaction must not be applied: nothing closes a ledger here.
    const clock: Clock = { now: () => 0, sleep: async () => undefined }
    await expect(provision(2, { rpcUrl, clock })).rejects.toThrow(
      `channels of ${network} could not be created in 10 tries, the last one with TRY_AGAIN_LATER: `,
    )
    expect(proxy.count('sendTransaction')).toBe(10)
    await localnet.closeLedger()
  })
})
