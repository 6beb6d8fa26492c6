import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { createChannels } from '../../../../src/payments/channels/create/create-channels.ts'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import { channelSigner } from '../../../../src/payments/channels/derive.ts'
import { keysOfSeed } from '../../../../src/payments/channels/sponsor-keys.ts'
import { leaseSource } from '../../../../src/payments/channels/transaction-source.ts'
import { listChannels, putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { rpcPool } from '../../../../src/stellar/rpc/pool/rpc-pool.ts'
import { RpcError, type StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { accountEntry } from '../../../support/ledger-view.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const silent = createLogger({ level: 'silent' })

/** Channels that are created with another channel as the source of the transaction. */
const network = 'stellar:testnet' as const
const seed = randomBytes(32)
const sponsor = signerFromSeed(seed)
const sponsorSecret = secretOfSeed(seed)

let localnet: LocalnetServer
let proxy: RpcProxy
let rpcUrl: string
let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
  localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  proxy = await startRpcProxy()
  rpcUrl = proxy.forwardTo(localnet.httpUrl)
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 10_000_000_000n })
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await localnet.close()
  await store.close()
})

beforeEach(async () => {
  proxy.heal()
  await store.db.deleteFrom('channels').execute()
  await provision(2)
})

const closingClock: Clock = {
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
}

const common = () => ({
  network,
  passphrase: localnet.network.passphrase,
  keys: keysOfSeed(sponsorSecret),
  inclusionFee: asStroops(100n),
  rpc: rpcPool({
    endpoints: rpcClients([rpcUrl], { allowHttp: true }),
    passphrase: localnet.network.passphrase,
    clock: systemClock,
    log: silent,
    withinMs: 500,
  }),
  store,
  clock: closingClock,
  signal: AbortSignal.timeout(200_000),
})

const provision = (count: number) =>
  provisionChannels({
    keepSpendable: asStroops(0n),
    ...common(),
    count,
    log: silent,
  })

type Options = Omit<ReturnType<typeof common>, 'rpc'> & { readonly rpc: StellarRpc }

/** Channels of their own, which no other test creates. */
let used = 100
const create = (options: Options = common()) => {
  used += 1
  return createChannels({
    ...options,
    sponsor,
    channels: [channelSigner(sponsorSecret, network, used)],
    leaseSource: () => leaseSource({ ...options, inStore: (statement) => statement(store.db) }),
  })
}

const sequenceOf = (address: string) => accountEntry(localnet.network, address).seqNum
const rows = () => listChannels(store.db, network, sponsor.address)
const first = channelSigner(sponsorSecret, network, 0).address

describe('a channel as the source of a transaction', () => {
  it('uses its sequence number and not that of the sponsor, and is free afterwards', async () => {
    const before = { sponsor: sequenceOf(sponsor.address), first: sequenceOf(first) }
    expect(await create()).toMatchObject({ kind: 'done' })
    expect(sequenceOf(sponsor.address)).toBe(before.sponsor)
    expect(sequenceOf(first)).toBe(before.first + 1n)
    expect(await rows()).toMatchObject([
      { isLeased: false, sequence: before.first + 1n },
      { isLeased: false },
    ])
  })

  it('stays leased while a ledger may include the transaction, after its process has stopped', async () => {
    proxy.fail('getTransaction', { kind: 'hang up' })
    await expect(create()).rejects.toThrow(RpcError)
    expect(await rows()).toMatchObject([
      { isLeased: true, sequence: undefined },
      { isLeased: false },
    ])
    proxy.heal()
    await localnet.closeLedger()

    const long = sql<Date>`clock_timestamp() - interval '1 hour'`
    await store.db
      .updateTable('channels')
      .set({ lease_expires_at: long })
      .where('index', '=', 0)
      .execute()
    expect(await create()).toMatchObject({ kind: 'done' })
    expect(await create()).toMatchObject({ kind: 'done' })
    for (const { account, isLeased, sequence } of await rows()) {
      expect({ isLeased, sequence }).toEqual({ isLeased: false, sequence: sequenceOf(account) })
    }
  })

  it('is free at once when the network refuses the transaction', async () => {
    await store.db.updateTable('channels').set({ sequence: 1n }).execute()
    expect(await create()).toEqual({ kind: 'again', because: 'txBadSeq', feeCharged: 0n })
    expect((await rows())[0]).toMatchObject({ isLeased: false, sequence: undefined })
  })

  it('keeps its sequence number when nothing was sent', async () => {
    const known = (await rows())[0]?.sequence
    proxy.fail('getLatestLedger', { kind: 'hang up' })
    await expect(create()).rejects.toThrow(RpcError)
    expect((await rows())[0]).toMatchObject({ isLeased: false, sequence: known })
  })

  it('signs nothing when its lease could end before the transaction is no longer valid', async () => {
    const known = (await rows())[0]?.sequence
    const sent = proxy.envelopes.length
    // Between the lease and the answer about the latest ledger this process stands still for a minute.
    let aheadMs = 0
    const { rpc, ...options } = common()
    const clock: Clock = { ...closingClock, now: () => systemClock.now() + aheadMs }
    const late: StellarRpc = {
      ...rpc,
      accounts: (...args) => rpc.accounts(...args),
      latestLedger: async (signal) => {
        const tip = await rpc.latestLedger(signal)
        aheadMs = 60_000
        return tip
      },
    }
    expect(await create({ ...options, clock, rpc: late })).toEqual({
      kind: 'again',
      because: 'the lease of the source account ends too soon',
      feeCharged: 0n,
    })
    expect(proxy.envelopes).toHaveLength(sent)
    expect((await rows())[0]).toMatchObject({ isLeased: false, sequence: known })
  })

  it('is not freed while the network is busy: the same transaction is sent again', async () => {
    const sent = proxy.envelopes.length
    const busy = (result: object) => ({ ...result, status: 'TRY_AGAIN_LATER' })
    proxy.fail('sendTransaction', { kind: 'rewrite', change: busy }, 1)
    expect(await create()).toMatchObject({ kind: 'done' })
    const [one, other, ...more] = proxy.envelopes.slice(sent)
    expect([other, more]).toEqual([one, []])
  })

  it('gives way to the sponsor when the ledger lacks it', async () => {
    const account = channelSigner(sponsorSecret, network, 900).address
    const entry = { network, sponsor: sponsor.address, index: 900, account, sequence: 1n } as const
    await store.db.deleteFrom('channels').execute()
    await putChannels(store.db, [entry])
    const before = sequenceOf(sponsor.address)
    expect(await create()).toMatchObject({ kind: 'done' })
    expect(sequenceOf(sponsor.address)).toBe(before + 1n)
    expect(await rows()).toMatchObject([{ isLeased: false, sequence: undefined }])
  })
})
