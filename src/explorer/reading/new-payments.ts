import { type NetworkId, networkIds } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { FeedMarks, NewPayments } from '../reads.ts'
import type { StoredPayment } from '../store/feed/read-feed-rows.ts'
import {
  type CloseRange,
  readNewPayments,
  readTailCloses,
} from '../store/feed/read-new-payments.ts'
import { closedAtOf } from '../store/ingest/position.ts'
import { readDetails } from '../store/payments/read-payment-details.ts'
import { inSnapshot } from '../store/stats/read-snapshot.ts'
import { paymentRecord } from './payment-record.ts'

/** The longest period that one read covers. */
const LONGEST_SECONDS = 3_600
/** More payments than a ledger holds. */
const MOST_OF_A_LEDGER = 10_000

export async function newPaymentsAfter(
  db: Db,
  after: FeedMarks | undefined,
  limit: number,
): Promise<NewPayments> {
  if (after === undefined) return { items: [], marks: await presentMarks(db) }
  const { marks, found } = await inSnapshot(db, async (snapshot) => {
    const now = await readTailCloses(snapshot)
    const ranges = rangesOf(now, after)
    const open = ranges.filter(({ after: from, through }) => from < through)
    const read = (most: number) => readNewPayments(snapshot, open, most)
    const { payments, through } = await wholeSeconds(read, limit)
    return { marks: marksOf(ranges, through), found: payments }
  })
  return { items: (await readDetails(db, found)).map(paymentRecord), marks }
}

const presentMarks = async (db: Db): Promise<FeedMarks> =>
  Object.fromEntries(await readTailCloses(db))

/** A network without a mark begins at its present end. */
const rangesOf = (now: ReadonlyMap<NetworkId, number>, after: FeedMarks): readonly CloseRange[] =>
  networkIds.flatMap((network) => {
    const end = now.get(network)
    if (end === undefined) return []
    const mark = after[network] ?? end
    return { network, after: mark, through: Math.min(end, mark + LONGEST_SECONDS) }
  })

/**
 * At most `limit` payments, but all of each second that has any, since a mark cannot stand within a second. When one
 * second has more than `limit`, all of it.
 */
async function wholeSeconds(
  read: (most: number) => Promise<readonly StoredPayment[]>,
  limit: number,
): Promise<{ readonly payments: readonly StoredPayment[]; readonly through?: number }> {
  const payments = await read(limit + 1)
  const left = payments[limit]
  if (!left) return { payments }
  const cut = closedAtOf(left.position)
  const whole = payments.filter(({ position }) => closedAtOf(position) < cut)
  if (whole.length > 0) return { payments: whole, through: cut - 1 }
  const second = (await read(MOST_OF_A_LEDGER)).filter(
    ({ position }) => closedAtOf(position) === cut,
  )
  return { payments: second, through: cut }
}

const marksOf = (ranges: readonly CloseRange[], through = Number.POSITIVE_INFINITY): FeedMarks =>
  Object.fromEntries(
    ranges.map((range) => [range.network, Math.max(range.after, Math.min(range.through, through))]),
  )
