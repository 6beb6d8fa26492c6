/**
 * The store in memory, once through its main tables: another build of Postgres, behind another driver, with one
 * connection. What both stores do by the same SQL is tested on Postgres alone.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acquireLease, LeaseLost, renewLease } from '../../../../src/explorer/store/ingest/lease.ts'
import { writeLedgers } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { hourCountWriter } from '../../../../src/payments/store/hour-counts.ts'
import { leaseWaitKind, readLeaseWaitP95Ms } from '../../../../src/payments/store/lease-waits.ts'
import { raiseEpoch } from '../../../../src/payments/store/pools/fence.ts'
import { claimSponsor, sponsorsOwnedBy } from '../../../../src/payments/store/pools/ownership.ts'
import {
  listLiveReplicas,
  writeHeartbeats,
} from '../../../../src/payments/store/replica-heartbeats.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import { lookUpSettlement } from '../../../../src/payments/store/settlements/look-up.ts'
import {
  finishBatch,
  finishSettlement,
} from '../../../../src/payments/store/settlements/transitions/finish.ts'
import {
  recordBatch,
  recordEnvelope,
} from '../../../../src/payments/store/settlements/transitions/record.ts'
import { refuseAttempt } from '../../../../src/payments/store/settlements/transitions/refuse.ts'
import { addUsage } from '../../../../src/payments/store/usage/add.ts'
import { noteKeyUses, readKeyUses } from '../../../../src/payments/store/usage/key-uses.ts'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import { migrations } from '../../../../src/platform/database/migrations/index.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { rateWindows } from '../../../../src/platform/database/rate-windows.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { recount } from '../../../support/explorer/recount.ts'
import { change, contentOf, insert } from '../../catalog/published-listings.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  fence,
  keyOf,
  leaseOne,
  NO_TIME,
  network,
  recording,
  sha256,
  sponsor,
  submit,
} from '../../payments/store/builders.ts'
import { emptyTables } from './open-stores.ts'

let store: Store
const told = { pending: [] as readonly string[], ran: [] as readonly string[] }
beforeAll(async () => {
  store = await openStore({ kind: 'memory' })
  told.pending = await store.pendingMigrations()
  told.ran = await store.migrate()
})
afterAll(() => store.close())

const stateOf = async (nonce: string) => (await findSettlement(store.db, keyOf(nonce)))?.state
const claim = (...args: Parameters<typeof claimRequest>) =>
  claimWithChannel(store.db, claimRequest(...args))

it('starts from the prepared folder, with settings of one session', async () => {
  const { rows } = await sql<{ databases: number; segment: string; buffers: string }>`
    select (select count(*)::int from pg_database) as databases,
      current_setting('wal_segment_size') as segment, current_setting('shared_buffers') as buffers
  `.execute(store.db)
  // A folder that PGlite makes has two templates beside it, and segments of 16 MB.
  expect(rows).toEqual([{ databases: 1, segment: '1MB', buffers: '4MB' }])
})

it('runs every migration once', async () => {
  const all = Object.keys(migrations)
  expect(told).toEqual({ pending: all, ran: all })
  expect(await store.migrate()).toEqual([])
  expect(await store.schemaState()).toMatchObject({ missing: [], unknown: [] })
})

it('has no connections and no other processes', async () => {
  await store.ping()
  expect(store.connections()).toBeUndefined()
  store.notifyFreedChannels(network)
  const never = () => expect.unreachable()
  await using _ = store.listenForFreedChannels({
    clock: systemClock,
    onFreed: never,
    onError: never,
  })
})

it('takes settlements through every state, with their channels', async () => {
  await addChannels(store, 2)
  const { account } = channelOf(await claim('ends'))
  expect(await claim('ends', { owner: 'two' })).toMatchObject({
    kind: 'existing',
    settlement: { state: 'claimed', owner: 'one', facts: { amount: 100_000n } },
  })
  const declaration = JSON.stringify({ nul: '\0', text: '日本 \u202e' })
  const record = recording('ends', { channel: account, declaration })
  expect(await recordEnvelope(store.db, record)).toBe(true)
  await claim('leases late', { waitsInLine: true })
  expect(await leaseOne(store, fence('leases late'))).toMatchObject({ kind: 'leased' })
  await claim('dies', { claimTtlMs: NO_TIME })
  expect(await countChannelUse(store.db, network, sponsor)).toEqual({ active: 2, inUse: 2 })
  expect(await releaseClaim(store.db, fence('leases late'))).toBe(true)
  expect(await abandonExpiredClaims(store.db)).toBe(1)

  const response = { success: true, zebra: 1, a: [{ b: 'ü 🚀', a: null }], 9: 1e-7 }
  const ended = await finishSettlement(store.db, ending('ends', { response }))
  expect(ended).toMatchObject({ isNew: true, settlement: { outcome: { feeCharged: 33_029n } } })
  expect(JSON.stringify(ended.settlement.outcome?.response)).toBe(JSON.stringify(response))
  await submit(store, 'is refused')
  await refuseAttempt(store.db, {
    ...{ key: keyOf('is refused'), attempt: 1 },
    ...{ resultCode: 'txInsufficientBalance', recordedWithinMs: 60_000 },
  })
  const states = ['ends', 'leases late', 'dies', 'is refused'].map(stateOf)
  expect(await Promise.all(states)).toEqual(['succeeded', 'released', 'abandoned', 'refused'])
  expect(await listUnfinished(store.db, network)).toEqual([])
  expect(await countChannelUse(store.db, network, sponsor)).toEqual({ active: 2, inUse: 0 })
  const rows = await store.db.selectFrom('catalog_outbox').select('body').execute()
  expect(rows).toEqual([{ body: declaration }])
  const pause = { failures: 3, codes: [], windowSeconds: 300, pauseSeconds: 60 }
  const looked = await lookUpSettlement(store.db, { key: keyOf('ends'), asset: 'CASSET', pause })
  expect(looked).toMatchObject({ settlement: { state: 'succeeded' }, hasOthers: false })
  await emptyTables(store)
})

it('writes many settlements in one statement for each step', async () => {
  await addChannels(store, 3)
  const nonces = ['0', '1', '2']
  const claims = claimBatch(store.db)
  const claimed = await Promise.all(nonces.map((nonce) => claims.write(claimRequest(nonce))))
  const records = recordBatch(store.db)
  const recorded = nonces.map((nonce, index) =>
    records.write(recording(nonce, { channel: `GCHANNEL${index}` })),
  )
  expect(claimed.map((outcome) => channelOf(outcome).index)).toEqual([0, 1, 2])
  expect(await Promise.all(recorded)).toEqual([true, true, true])
  const finishes = finishBatch(store.db)
  const finished = await Promise.all(nonces.map((nonce) => finishes.write(ending(nonce))))
  expect(finished.map(({ settlement }) => settlement.state)).toEqual(Array(3).fill('succeeded'))
  expect(await countChannelUse(store.db, network, sponsor)).toMatchObject({ inUse: 0 })
  await emptyTables(store)
})

it('lets an id belong to one payload', async () => {
  const identified = (nonce: string, payload: string) =>
    claimRequest(nonce, {
      identifier: {
        scopes: ['GSELLER', 'key:1'],
        identifier: 'pay_0123456789ab',
        payloadHash: sha256(payload),
      },
    })
  expect(await claimWithChannel(store.db, identified('1', 'one'))).toMatchObject({ attempt: 1 })
  expect(await releaseClaim(store.db, fence('1'))).toBe(true)
  const outcomes = [identified('1', 'one'), identified('2', 'two')].map((request) =>
    claimWithChannel(store.db, request),
  )
  expect(await Promise.all(outcomes)).toMatchObject([{ attempt: 2 }, { kind: 'identifier_taken' }])
  await emptyTables(store)
})

it('holds claims to the budget and to what the payer has', async () => {
  const budget = {
    fee: asStroops(40_000n),
    hourly: asStroops(80_000n),
    keyShare: asStroops(40_000n),
  }
  const metering = (caller: string) => ({ caller, serviceFee: asUsdUnits(5n) })
  const kindOf = async (...args: Parameters<typeof claimRequest>) => (await claim(...args)).kind
  expect(await kindOf('1', { budget, metering: metering('a') })).toBe('claimed')
  expect(await kindOf('2', { budget, metering: metering('a') })).toBe('over_key_share')
  expect(await kindOf('2', { budget, metering: metering('b') })).toBe('claimed')
  expect(await kindOf('3', { budget, metering: metering('c') })).toBe('over_budget')
  expect(await kindOf('4', { limitToFunds: true })).toBe('funds_unknown')
  expect(await kindOf('4', { limitToFunds: true, funds: 299_999n })).toBe('over_funds')
  expect(await kindOf('4', { limitToFunds: true, funds: 300_000n })).toBe('claimed')
  await emptyTables(store)
})

it('keeps the largest values to the last unit', async () => {
  const amount = 2n ** 127n - 1n
  await claim('-1', { facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount } })
  expect(await findSettlement(store.db, keyOf('-1'))).toMatchObject({ facts: { amount } })
  const { rows } = await sql`select ${`${2n ** 63n - 1n}`}::int8 as n, 1::int4 as i,
    to_timestamp(0) as at, array['a', null] as list, '{"a":1}'::jsonb as json`.execute(store.db)
  const [row] = [{ n: 2n ** 63n - 1n, i: 1, at: new Date(0), list: ['a', null], json: { a: 1 } }]
  expect(rows).toEqual([row])
  await emptyTables(store)
})

it('refuses what the schema forbids, and says which rule', async () => {
  await addChannels(store, 2)
  await submit(store, '1')
  const change = sql`update settlements set envelope_xdr = 'BBBB'`.execute(store.db)
  await expect(change).rejects.toThrow('its envelope and its outcome never change')
  const { account: channel } = channelOf(await claim('2'))
  const twin = recording('2', { channel, txHash: sha256('hash of 1') })
  await expect(recordEnvelope(store.db, twin)).rejects.toThrow('settlements_tx_hash_key')
  const unknown = sql`update settlements set state = 'paid' where nonce = '2'`.execute(store.db)
  await expect(unknown).rejects.toThrow('known_state')
  await expect(finishSettlement(store.db, ending('3'))).rejects.toThrow('it is not stored')
  await emptyTables(store)
})

it('runs transactions one after the other, and takes back one that fails', async () => {
  const failing = inTransaction(store.db, async (transaction) => {
    await claimWithChannel(transaction, claimRequest('1'))
    throw new Error('after the claim')
  })
  const other = inTransaction(store.db, (tx) => claimWithChannel(tx, claimRequest('2')))
  await expect(failing).rejects.toThrow('after the claim')
  expect(await other).toMatchObject({ kind: 'claimed' })
  expect([await stateOf('1'), await stateOf('2')]).toEqual([undefined, 'claimed'])
  await emptyTables(store)
})

it('counts usage, uses of keys, waits and requests', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const count = { subject: 'key:a', day, network, operation: 'verify', outcome: 'valid' } as const
  const batch = { writer: 'one', batch: 1, counts: [{ ...count, asset: 'CASSET', requests: 2 }] }
  await addUsage(store.db, batch)
  await addUsage(store.db, batch)
  const valid = { ...count, asset: 'CASSET', requests: 2, settledAmount: 0n, feeAccrued: 0n }
  const { subject, ...rest } = valid
  expect(await readUsage(store.db, subject, 31)).toEqual([rest])
  await noteKeyUses(store.db, [{ subject: 'key:b', agoMs: 86_400_000, name: 'shop' }])
  expect(await readKeyUses(store.db)).toEqual([
    { subject: 'key:a', name: null, lastUsedAt: null, lastCountedOn: day },
    { subject: 'key:b', name: 'shop', lastUsedAt: expect.any(Date), lastCountedOn: null },
  ])
  await hourCountWriter(store.db)([{ network, kind: leaseWaitKind(2), count: 3 }])
  expect(await readLeaseWaitP95Ms(store.db, network)).toBe(5)
  const request = { client: '192.0.2.1', allowance: 0, used: 0, waiting: 3 }
  const limit = { perMinute: 20, slack: 8 }
  const [quota] = await rateWindows(store.db).take([request], limit)
  expect(quota).toMatchObject({ admitted: 3, used: 3, allowance: 4 })
})

it('keeps what replicas and operators say of themselves', async () => {
  await writeHeartbeats(store.db, 'pod-a/1', [{ network, sponsor }])
  expect(await listLiveReplicas(store.db, { network, sponsor })).toMatchObject([{ host: 'pod-a' }])
  await raiseEpoch(store.db, { name: 'ns/operator', epoch: 1n })
  const pool = { network, sponsor, uid: 'one', name: 'ns/one' } as const
  await inTransaction(store.db, (transaction) => claimSponsor(transaction, pool, 'ns/operator'))
  expect(await sponsorsOwnedBy(store.db, 'one')).toMatchObject([pool])
})

it('publishes a listing, and keeps its history', async () => {
  const id = await insert(store, contentOf('weather'))
  await change(store, id, { state: 'quarantined' })
  const versions = store.db.selectFrom('listing_versions').where('listing_id', '=', id)
  expect(await versions.select(['version', 'state']).orderBy('version').execute()).toEqual([
    { version: 1, state: 'published' },
    { version: 2, state: 'quarantined' },
  ])
  const rewrite = sql`update listing_versions set owner = 'GTHIEF'`.execute(store.db)
  await expect(rewrite).rejects.toThrow('append-only')
})

it('writes the payments of ledgers, and has their figures', async () => {
  const first = await acquireLease(store.db, 'a', -1)
  expect(await acquireLease(store.db, 'b', 60_000)).toEqual({ holder: 'b', term: 2n })
  if (!first) throw new Error('not acquired')
  await expect(renewLease(store.db, first, 60_000)).rejects.toThrow(LeaseLost)
  const epoch = await store.db
    .insertInto('explorer_epochs')
    .values({ network, started_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  const payment = paymentRow('one', { amount: 10n ** 39n - 1n, muxedId: 2n ** 64n - 1n })
  const written = await inTransaction(store.db, (transaction) =>
    writeLedgers(transaction, { network, id: epoch.id }, [payment, payment]),
  )
  expect(written).toMatchObject([{ payments: 1 }])
  expect(await recount(store.db)).toEqual([])
})

it('closes twice, and serves no more', async () => {
  await store.close()
  await store.close()
  await expect(store.ping()).rejects.toThrow()
})
