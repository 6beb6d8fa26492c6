import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type AddHourCounts,
  type HourCountKind,
  hourCountWriter,
} from '../../../../src/payments/store/hour-counts.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { readHourStats } from '../../../../src/payments/store/settlements/hour-stats.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  NO_TIME,
  network,
  sponsor,
  submit,
} from '../store/builders.ts'

describe('the statistics of an hour', () => {
  let store: Store
  let addHourCounts: AddHourCounts
  beforeAll(async () => {
    store = await openEmptyStore()
    addHourCounts = hourCountWriter(store.db)
  })
  beforeEach(async () => {
    await emptyTables(store)
    await sql`delete from hour_counts`.execute(store.db)
    await addChannels(store, 3)
  })
  afterAll(() => store.close())

  const figures = (of = sponsor) => readHourStats(store.db, network, of)
  const claim = (nonce: string, claimTtlMs = 30_000) =>
    claimWithChannel(store.db, claimRequest(nonce, { claimTtlMs }))
  const end = async (nonce: string, changes: Parameters<typeof ending>[1]) => {
    await submit(store, nonce)
    await finishSettlement(store.db, ending(nonce, changes))
  }
  /** Triggers keep a recorded row from changing; the owner of the table may disable them. */
  const minutesPass = async (minutes: number) => {
    const ago = sql`${sql.lit(minutes)} * interval '1 minute'`
    await sql`alter table settlements disable trigger recorded_rows_never_change`.execute(store.db)
    await sql`update settlements set claimed_at = claimed_at - ${ago}`.execute(store.db)
    await sql`alter table settlements enable trigger recorded_rows_never_change`.execute(store.db)
    await sql`update hour_counts set minute = minute - ${ago}`.execute(store.db)
  }

  it('are all zero without settlements', async () => {
    expect(await figures()).toEqual({
      last1h: { succeeded: 0, failed: 0, expired: 0, pending: 0 },
      unfinished: 0,
      unresolvable: 0,
      committed: 0n,
      wasted: 0n,
      channelsInUse: 0,
      counts: { repeat: 0, lease_timeout: 0, sequence_conflict: 0 },
    })
  })

  it('count each settlement by the state it is in now', async () => {
    await end('1', {})
    await end('2', { state: 'failed', feeCharged: asStroops(20_000n) })
    await end('3', { state: 'failed', ledger: undefined, feeCharged: undefined })
    await end('4', { state: 'expired', ledger: undefined, feeCharged: undefined })
    await submit(store, '5')
    await claim('6')
    await claim('7', NO_TIME)
    await abandonExpiredClaims(store.db)
    await claim('8')
    await releaseClaim(store.db, fence('8'))
    expect(await figures()).toMatchObject({
      last1h: { succeeded: 1, failed: 2, expired: 2, pending: 2 },
      unfinished: 2,
      committed: 33_029n + 20_000n + 2n * 40_000n,
      wasted: 20_000n,
      channelsInUse: 2,
    })
  })

  it('leave out settlements claimed over an hour ago, unless they are unfinished', async () => {
    await end('1', {})
    await end('2', { state: 'failed', feeCharged: asStroops(20_000n) })
    await submit(store, '3')
    await minutesPass(59)
    expect((await figures()).last1h).toMatchObject({ succeeded: 1, failed: 1, pending: 1 })
    await minutesPass(2)
    expect(await figures()).toMatchObject({
      last1h: { succeeded: 0, failed: 0, pending: 0 },
      unfinished: 1,
      committed: 0n,
      wasted: 0n,
    })
  })

  it('count settlements whose outcome the endpoints could not prove', async () => {
    await submit(store, '1')
    await flagUnresolvable(store.db, keyOf('1'), 'ledgers are no longer retained', 60_000)
    expect(await figures()).toMatchObject({ unfinished: 1, unresolvable: 1 })
  })

  it('count fees and leases per sponsor, and settlements per network', async () => {
    await end('1', {})
    await submit(store, '2')
    expect(await figures('GANOTHER')).toMatchObject({
      last1h: { succeeded: 1, pending: 1 },
      unfinished: 1,
      committed: 0n,
      channelsInUse: 0,
    })
    const elsewhere = await readHourStats(store.db, 'stellar:pubnet', sponsor)
    expect(elsewhere).toMatchObject({ last1h: { succeeded: 0 }, unfinished: 0, channelsInUse: 0 })
  })

  const add = (count: number, of: HourCountKind = 'repeat') =>
    addHourCounts([{ network, kind: of, count }])

  it('sum the counts of all replicas by kind', async () => {
    await Promise.all([add(2), add(3), add(1, 'lease_timeout'), add(4, 'sequence_conflict')])
    expect((await figures()).counts).toEqual({ repeat: 5, lease_timeout: 1, sequence_conflict: 4 })
  })

  it('leave out counts after an hour, and delete their rows', async () => {
    await add(2)
    await minutesPass(58)
    expect((await figures()).counts.repeat).toBe(2)
    await minutesPass(4)
    expect((await figures()).counts.repeat).toBe(0)
    // A writer deletes old counts once a minute: this one has not done so yet.
    await hourCountWriter(store.db)([{ network, kind: 'repeat', count: 1 }])
    const left = await sql<{ count: bigint }>`select count from hour_counts`.execute(store.db)
    expect(left.rows.map(({ count }) => Number(count))).toEqual([1])
  })

  it('send no query when there are no counts', async () => {
    await expect(addHourCounts([])).resolves.toBeUndefined()
  })
})
