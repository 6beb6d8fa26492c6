import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { addUsage, type UsageCount } from '../../../../src/payments/store/usage/add.ts'
import { countPendingUsage } from '../../../../src/payments/store/usage/count-pending.ts'
import { deleteOldUsage } from '../../../../src/payments/store/usage/delete-old.ts'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  network,
  recording,
} from '../store/builders.ts'

const day = (daysAgo = 0) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

const counted = (overrides: Partial<UsageCount> = {}): UsageCount => ({
  subject: 'key:one',
  day: day(),
  network,
  operation: 'verify',
  outcome: 'valid',
  asset: 'CASSET',
  requests: 1,
  ...overrides,
})

const row = (overrides: object = {}) => ({
  day: day(),
  network,
  operation: 'settle',
  outcome: 'success',
  asset: 'CASSET',
  requests: 1,
  settledAmount: 100_000n,
  feeAccrued: 5n,
  ...overrides,
})
const nothingMoved = { settledAmount: 0n, feeAccrued: 0n }

describe('usage in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  beforeEach(() => addChannels(store, 2))
  afterEach(async () => {
    await emptyTables(store)
    await sql`delete from usage_counts`.execute(store.db)
    await sql`delete from usage_writers`.execute(store.db)
  })
  afterAll(() => store.close())

  const read = (subject = 'key:one') => readUsage(store.db, subject, 31)
  const claim = (nonce: string, overrides: Parameters<typeof claimRequest>[1] = {}) =>
    claimWithChannel(
      store.db,
      claimRequest(nonce, {
        metering: { caller: 'key:one', serviceFee: asUsdUnits(5n) },
        ...overrides,
      }),
    )
  const submitted = async (
    nonce: string,
    attempt = 1,
    ...claims: Parameters<typeof claim>[1][]
  ) => {
    const claimed = await claim(nonce, ...claims)
    if (claimed.kind !== 'claimed' || !claimed.channel) throw new Error('not claimed')
    const { account: channel } = claimed.channel
    expect(await recordEnvelope(store.db, recording(nonce, { channel, attempt }))).toBe(true)
  }

  it('counts nothing for a claim, a release and a record', async () => {
    await claim('given back')
    await releaseClaim(store.db, fence('given back'))
    await submitted('1')
    expect(await read()).toEqual([])
  })

  it('counts a success, its volume and its fee when the settlement ends', async () => {
    await submitted('1')
    await finishSettlement(store.db, ending('1'))
    expect(await read()).toEqual([row()])
    expect(await read('public')).toEqual([])
  })

  it.each(['failed', 'expired'] as const)(
    'counts one that ended %s as a failure',
    async (state) => {
      await submitted('1')
      await finishSettlement(
        store.db,
        ending('1', { state, ledger: undefined, feeCharged: undefined }),
      )
      expect(await read()).toEqual([row({ outcome: 'failure', ...nothingMoved })])
    },
  )

  it('counts one success, however often and by however many processes it is finished', async () => {
    await submitted('1')
    await Promise.all(Array.from({ length: 10 }, () => finishSettlement(store.db, ending('1'))))
    await finishSettlement(store.db, ending('1'))
    expect(await read()).toEqual([row()])
  })

  it('counts for the caller of the last claim, at the price of that time', async () => {
    await claim('1')
    await releaseClaim(store.db, fence('1'))
    await submitted('1', 2, { metering: { caller: 'key:two', serviceFee: asUsdUnits(7n) } })
    await finishSettlement(store.db, ending('1', { attempt: 2 }))
    expect(await read()).toEqual([])
    expect(await read('key:two')).toEqual([row({ feeAccrued: 7n })])
  })

  it('sums without rounding: amounts and fees of any size', async () => {
    const amount = 10n ** 38n + 1n
    const serviceFee = asUsdUnits(9_007_199_254_740_993n)
    for (const nonce of ['1', '2']) {
      const { facts } = claimRequest(nonce)
      const metering = { caller: 'key:one', serviceFee }
      await claim(nonce, { facts: { ...facts, amount }, metering })
      const found = await store.db.selectFrom('channels').selectAll().execute()
      const held = found.find(({ lease_settlement }) => lease_settlement !== null)
      await recordEnvelope(store.db, recording(nonce, { channel: held?.account ?? '' }))
      await finishSettlement(store.db, ending(nonce))
    }
    expect(await read()).toEqual([
      row({ requests: 2, settledAmount: 2n * amount, feeAccrued: 2n * serviceFee }),
    ])
  })

  describe('a settlement that was answered as pending', () => {
    it('is counted as pending once, however often it is reported', async () => {
      await submitted('1')
      await countPendingUsage(store.db, keyOf('1'))
      await countPendingUsage(store.db, keyOf('1'))
      expect(await read()).toEqual([row({ outcome: 'pending', ...nothingMoved })])
    })

    it('moves to its outcome with the volume when it ends', async () => {
      await submitted('1')
      await countPendingUsage(store.db, keyOf('1'))
      await finishSettlement(store.db, ending('1'))
      expect(await read()).toEqual([row()])
    })

    it('is counted with its outcome when it has ended in between', async () => {
      await submitted('1')
      await finishSettlement(store.db, ending('1'))
      await countPendingUsage(store.db, keyOf('1'))
      expect(await read()).toEqual([row()])
    })

    it('stays on the day of that answer', async () => {
      await submitted('1')
      await countPendingUsage(store.db, keyOf('1'))
      await sql`update settlements set pending_on = ${day(3)}::date`.execute(store.db)
      await sql`update usage_counts set day = ${day(3)}::date`.execute(store.db)
      await finishSettlement(store.db, ending('1'))
      expect(await read()).toEqual([row({ day: day(3) })])
    })

    it('leaves the others that are pending', async () => {
      await submitted('1')
      await submitted('2')
      await countPendingUsage(store.db, keyOf('1'))
      await countPendingUsage(store.db, keyOf('2'))
      await finishSettlement(
        store.db,
        ending('2', { state: 'expired', ledger: undefined, feeCharged: undefined }),
      )
      expect(await read()).toEqual([
        row({ outcome: 'failure', ...nothingMoved }),
        row({ outcome: 'pending', ...nothingMoved }),
      ])
    })
  })

  describe('batches', () => {
    it('add to what is there', async () => {
      const counts = [counted({ requests: 2 }), counted({ outcome: 'invalid' })]
      await addUsage(store.db, { writer: 'a', batch: 1, counts })
      await addUsage(store.db, { writer: 'b', batch: 1, counts })
      expect(await read()).toMatchObject([
        { outcome: 'invalid', requests: 2, ...nothingMoved },
        { outcome: 'valid', requests: 4, ...nothingMoved },
      ])
    })

    it('count nothing when they are sent again', async () => {
      await addUsage(store.db, { writer: 'a', batch: 1, counts: [counted()] })
      await addUsage(store.db, { writer: 'a', batch: 1, counts: [counted()] })
      await addUsage(store.db, { writer: 'a', batch: 2, counts: [counted()] })
      await addUsage(store.db, { writer: 'a', batch: 1, counts: [counted()] })
      expect(await read()).toMatchObject([{ requests: 2 }])
    })

    it('of two replicas do not deadlock', async () => {
      const assets = Array.from({ length: 50 }, (_, index) => counted({ asset: `C${index}` }))
      const batches = Array.from({ length: 20 }, (_, batch) => ({
        writer: batch % 2 === 0 ? 'a' : 'b',
        batch: batch + 1,
        counts: batch % 2 === 0 ? assets : assets.toReversed(),
      }))
      const [even, odd] = [0, 1].map((half) => batches.filter((_, index) => index % 2 === half))
      const inTurn = async (mine: typeof batches = []) => {
        for (const batch of mine) await addUsage(store.db, batch)
      }
      await Promise.all([inTurn(even), inTurn(odd)])
      const rows = await read()
      expect(rows).toHaveLength(50)
      expect(new Set(rows.map(({ requests }) => requests))).toEqual(new Set([20]))
    })
  })

  it('is read newest day first and then in one fixed order, for 31 days', async () => {
    const counts = [
      counted({ day: day(1) }),
      counted({ day: day(30), asset: 'oldest' }),
      counted({ day: day(31), asset: 'too old' }),
      counted({ asset: 'a' }),
      counted({ asset: 'B' }),
      counted({ operation: 'settle', outcome: 'repeat' }),
      counted({ subject: 'key:two' }),
    ]
    await addUsage(store.db, { writer: 'a', batch: 1, counts })
    const rows = (await read()).map(({ day, operation, asset }) => [day, operation, asset])
    expect(rows).toEqual([
      [day(), 'settle', 'CASSET'],
      [day(), 'verify', 'B'],
      [day(), 'verify', 'a'],
      [day(1), 'verify', 'CASSET'],
      [day(30), 'verify', 'oldest'],
    ])
  })

  it('deletes days beyond the retention, and writers that stopped long ago', async () => {
    const counts = [counted(), counted({ day: day(400) }), counted({ day: day(401) })]
    await addUsage(store.db, { writer: 'a', batch: 1, counts })
    await sql`update usage_writers set written_at = now() - interval '401 days'`.execute(store.db)
    expect(await deleteOldUsage(store.db, 400)).toBe(1)
    const days = sql<{ day: string }>`select day::text from usage_counts order by day desc`
    expect((await days.execute(store.db)).rows).toEqual([{ day: day() }, { day: day(400) }])
    expect((await sql`select * from usage_writers`.execute(store.db)).rows).toEqual([])
  })

  it('is found by its index however many others have been counted', async () => {
    const plan = sql<{ 'QUERY PLAN': string }>`explain select * from usage_counts
      where subject = 'key:one' and day > current_date - 31`
    await sql`insert into usage_counts select 'key:' || n % 500, current_date - n % 300, 'n', 'verify',
      'valid', 'C' || n, 0, 1, 0, 0 from generate_series(1, 20000) n`.execute(store.db)
    await sql`analyze usage_counts`.execute(store.db)
    const lines = (await plan.execute(store.db)).rows.map((line) => line['QUERY PLAN'])
    expect(lines.join('\n')).toContain('usage_counts_pkey')
  })
})
