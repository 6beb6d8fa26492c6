import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { drainPoolChannels } from '../../../../src/payments/store/pools/pool-channels.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { renewFollowing } from '../../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import {
  finishBatch,
  finishSettlement,
} from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { countPendingUsage } from '../../../../src/payments/store/usage/count-pending.ts'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { emptyTables } from '../../platform/database/open-stores.ts'
import { type PostgresProxy, startPostgresProxy } from '../../platform/database/postgres-proxy.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  keyOf,
  network,
  recording,
  sponsor,
  submit,
} from './builders.ts'

const COUNT = 12
const ROUNDS = 5
const nonces = Array.from({ length: COUNT }, (_, index) => `${index}`)

describe('many settlements that finish at once', () => {
  let database: TestDatabase
  let proxy: PostgresProxy
  let store: Store
  let other: Store
  beforeAll(async () => {
    database = await freshDatabase()
    proxy = await startPostgresProxy(database.url)
    store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 4 })
    other = await openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
  })
  beforeEach(() => addChannels(store, COUNT))
  afterEach(async () => {
    await emptyTables(store)
    await sql`delete from usage_counts`.execute(store.db)
  })
  afterAll(async () => {
    await store.close()
    await other.close()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const requestsBy = async (caller: string) =>
    Object.fromEntries(
      (await readUsage(store.db, caller, 1)).map(({ outcome, requests }) => [outcome, requests]),
    )
  const stateOf = async (nonce: string) => (await findSettlement(store.db, keyOf(nonce)))?.state
  const inUse = async () => (await countChannelUse(store.db, network, sponsor)).inUse

  it('take one round trip, and each gets its own outcome', async () => {
    for (const nonce of nonces) await submit(store, nonce)
    const before = proxy.roundTrips
    const batch = finishBatch(store.db)
    const outcomes = await Promise.all(
      nonces.map((nonce, index) =>
        batch.write(
          index % 2 === 0
            ? ending(nonce)
            : ending(nonce, {
                state: 'failed',
                response: { success: false, errorReason: `"${nonce}"`, a: [1, '\u0000é'] },
                sequence: 'unknown',
              }),
        ),
      ),
    )
    expect(proxy.roundTrips - before).toBe(1)
    const alone = await submit(store, 'alone').then(() =>
      finishSettlement(store.db, ending('alone')),
    )
    for (const [index, { settlement, isNew }] of outcomes.entries()) {
      const nonce = nonces[index]!
      expect(isNew).toBe(true)
      expect(settlement).toEqual(await findSettlement(store.db, keyOf(nonce)))
      expect(Object.keys(settlement)).toEqual(Object.keys(alone.settlement))
      expect(settlement).toMatchObject(
        index % 2 === 0
          ? { state: 'succeeded', outcome: { ledger: 4_294_967_296, feeCharged: 33_029n } }
          : { state: 'failed', outcome: { response: { a: [1, '\u0000é'] } } },
      )
    }
    expect(await inUse()).toBe(0)
    const channels = await listChannels(store.db, network)
    expect(channels.filter(({ sequence }) => sequence === undefined)).toHaveLength(COUNT / 2)
    expect(await requestsBy('public')).toEqual({ success: COUNT / 2 + 1, failure: COUNT / 2 })
  })

  it('write the same columns as one that finishes alone', async () => {
    const end = (nonce: string) =>
      ending(nonce, { state: 'failed', failureCode: 'insufficient_funds', sequence: 'unknown' })
    for (const nonce of ['0', '1', 'alone']) await submit(store, nonce)
    const batch = finishBatch(store.db)
    await Promise.all(['0', '1'].map((nonce) => batch.write(end(nonce))))
    await finishSettlement(store.db, end('alone'))
    const rows = await store.db.selectFrom('settlements').selectAll().orderBy('id').execute()
    const [first, second, alone] = rows.map((row) =>
      Object.entries(row).flatMap(([column, value]) => (value === null ? [] : [column])),
    )
    expect(first).toEqual(alone)
    expect(second).toEqual(alone)
  })

  it('are each finished once by two replicas, which get the same answers', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const mine = nonces.map((nonce) => `${round}/${nonce}`)
      for (const nonce of mine) await submit(store, nonce)
      const finishBy = (by: number, { db }: Store) => {
        const batch = finishBatch(db)
        const order = by === 0 ? mine : mine.toReversed()
        return Promise.all(order.map((nonce) => batch.write(ending(nonce, { response: { by } }))))
      }
      const outcomes = (await Promise.all([finishBy(0, store), finishBy(1, other)])).flat()
      expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(COUNT)
      const answers = Map.groupBy(outcomes, ({ settlement }) => settlement.key.nonce)
      for (const [one, two] of answers.values()) {
        expect(one?.settlement.outcome).toEqual(two?.settlement.outcome)
      }
      expect(await requestsBy('public')).toEqual({ success: COUNT * (round + 1) })
      expect(await inUse()).toBe(0)
    }
  })

  it('finish although one row is refused', async () => {
    for (const nonce of nonces) await submit(store, nonce)
    const batch = finishBatch(store.db)
    const outcomes = await Promise.allSettled(
      // A success needs a ledger.
      nonces.map((nonce) => batch.write(ending(nonce, nonce === '5' ? { ledger: undefined } : {}))),
    )
    for (const [index, { status }] of outcomes.entries()) {
      expect(status).toBe(index === 5 ? 'rejected' : 'fulfilled')
    }
    expect(outcomes[5]).toMatchObject({ reason: { constraint: 'success_has_a_ledger' } })
    expect(await stateOf('5')).toBe('submitted')
    expect(await requestsBy('public')).toEqual({ success: COUNT - 1 })
    expect(await inUse()).toBe(1)
  })

  it('keep the rule of each: not recorded, of another attempt, finished already', async () => {
    for (const nonce of nonces.slice(1)) await submit(store, nonce)
    await claimWithChannel(store.db, claimRequest('0'))
    await finishSettlement(store.db, ending('1', { state: 'failed', response: { first: true } }))
    const batch = finishBatch(store.db)
    const [claimed, finished, later, ...others] = await Promise.allSettled([
      batch.write(ending('0')),
      batch.write(ending('1')),
      batch.write(ending('2', { attempt: 2 })),
      ...nonces.slice(3).map((nonce) => batch.write(ending(nonce))),
    ])
    expect(claimed).toMatchObject({ reason: { message: expect.stringContaining('it is claimed') } })
    expect(finished).toMatchObject({
      value: { isNew: false, settlement: { outcome: { response: { first: true } } } },
    })
    expect(later).toMatchObject({ reason: { message: expect.stringContaining('attempt 1') } })
    expect(others.every(({ status }) => status === 'fulfilled')).toBe(true)
  })

  it('do not wait for one that another statement has locked', async () => {
    for (const nonce of nonces) await submit(store, nonce)
    const { locked } = await other.db.transaction().execute(async (transaction) => {
      await renewFollowing(transaction, keyOf('5'), 1_000)
      const batch = finishBatch(store.db)
      const writes = nonces.map((nonce) => batch.write(ending(nonce)))
      await Promise.all(writes.filter((_, index) => index !== 5))
      expect(await stateOf('5')).toBe('submitted')
      return { locked: writes[5] }
    })
    expect(await locked).toMatchObject({ isNew: true, settlement: { state: 'succeeded' } })
    expect(await inUse()).toBe(0)
  })

  it('count each caller once, and cannot deadlock with each other or with what else writes', async () => {
    const callers = ['a', 'b', 'c']
    for (let round = 0; round < ROUNDS; round++) {
      const mine = nonces.map((nonce) => `${round}/${nonce}`)
      for (const [index, nonce] of mine.entries()) {
        const caller = callers[index % callers.length]!
        const claim = claimRequest(nonce, { metering: { caller, serviceFee: asUsdUnits(5n) } })
        const { account: channel } = channelOf(await claimWithChannel(store.db, claim))
        await recordEnvelope(store.db, recording(nonce, { channel }))
      }
      await Promise.all(
        mine.slice(0, COUNT / 2).map((nonce) => countPendingUsage(other.db, keyOf(nonce))),
      )
      const half = [mine.slice(0, COUNT / 2), mine.slice(COUNT / 2)]
      const finishes = [half, half.toReversed()].map((halves, index) => {
        const batch = finishBatch(index === 0 ? store.db : other.db)
        return halves.map((part) => Promise.all(part.map((nonce) => batch.write(ending(nonce)))))
      })
      await Promise.all([
        ...finishes.flat(),
        ...mine.map((nonce) => renewFollowing(other.db, keyOf(nonce), 1_000)),
        ...mine.map((nonce) => countPendingUsage(other.db, keyOf(nonce))),
        other.db.transaction().execute((transaction) =>
          drainPoolChannels(
            transaction,
            { network, sponsor },
            nonces.map((_, index) => COUNT - 1 - index),
          ),
        ),
      ])
      await addChannels(store, COUNT)
    }
    for (const caller of callers) {
      expect(await requestsBy(caller)).toEqual({ success: (COUNT / callers.length) * ROUNDS })
      const [row] = await readUsage(store.db, caller, 1)
      expect(row).toMatchObject({ settledAmount: 2_000_000n, feeAccrued: 100n })
    }
    expect(await inUse()).toBe(0)
  })
})
