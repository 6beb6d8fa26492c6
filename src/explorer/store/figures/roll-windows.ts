import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { hourOf } from '../ingest/position.ts'
import { type Window, windowHours } from '../tables.ts'
import { lockFigures } from './lock-figures.ts'

/** How many hours with payments leave a window in one transaction: after a long pause it may otherwise last minutes. */
const HOURS_AT_ONCE = 48

/**
 * Moves the start of each window forward to the full hour that the window begins in, and takes what leaves it off the
 * counters. After a long pause it moves them by a part of the way only. A clock that went back changes nothing.
 * Returns whether the windows are where they belong; if not, the caller calls again.
 *
 * @param nowSeconds Unix seconds
 */
export async function rollWindows(
  transaction: DbTransaction,
  nowSeconds: number,
): Promise<boolean> {
  const { from24h, from7d, from30d } = await lockFigures(transaction)
  const starts = { '24h': from24h, '7d': from7d, '30d': from30d }
  let isDone = true
  let hasRolled = false
  for (const [window, hours] of Object.entries(windowHours) as [Window, number][]) {
    const [from, target] = [starts[window], hourOf(nowSeconds) - hours]
    if (target <= from) continue
    const to = await endOfStep(transaction, from, target)
    await takeOff(transaction, window, from, to)
    isDone &&= to === target
    hasRolled = true
  }
  if (hasRolled) await deleteOldHours(transaction)
  return isDone
}

/** Where a step from an hour towards another one ends; hours without payments count for nothing. */
async function endOfStep(
  transaction: DbTransaction,
  from: number,
  target: number,
): Promise<number> {
  const { rows } = await sql<{ first: number | null }>`
    select min(hour) as first from explorer_kind_hours where hour >= ${from} and hour < ${target}`.execute(
    transaction,
  )
  const first = rows[0]?.first ?? target
  return Math.min(target, first + HOURS_AT_ONCE)
}

/** Takes the hours from one to before another off the counters of the window, and moves its start. */
async function takeOff(
  transaction: DbTransaction,
  window: Window,
  from: number,
  to: number,
): Promise<void> {
  const [payments, amount, buyers, addresses] = [
    ...['payments', 'amount', 'buyers', 'addresses'],
  ].map((name) => sql.ref(`${name}_${window}`))
  const isLeaving = sql`hour >= ${from} and hour < ${to}`
  await sql`update explorer_kinds kind
    set ${payments} = kind.${payments} - leaving.payments, ${amount} = kind.${amount} - leaving.amount
    from (select kind, sum(payments) as payments, sum(amount) as amount
      from explorer_kind_hours where ${isLeaving} group by kind) leaving
    where kind.id = leaving.kind`.execute(transaction)
  await sql`update explorer_seller_kinds known
    set ${payments} = known.${payments} - leaving.payments, ${amount} = known.${amount} - leaving.amount
    from (select seller, kind, sum(payments) as payments, sum(amount) as amount
      from explorer_seller_hours where ${isLeaving} group by seller, kind) leaving
    where known.seller = leaving.seller and known.kind = leaving.kind`.execute(transaction)
  await sql`update explorer_sellers known
    set ${payments} = known.${payments} - leaving.payments, ${buyers} = known.${buyers} - leaving.buyers
    from (select network, seller, sum(payments) as payments, sum(buyers) as buyers from (
        select network, seller, hours.payments, 0 as buyers
          from explorer_seller_hours hours join explorer_kinds on id = kind where ${isLeaving}
        union all
        select network, seller, 0, buyers from explorer_seller_buyer_hours where ${isLeaving}
      ) hours group by network, seller) leaving
    where known.network = leaving.network and known.seller = leaving.seller`.execute(transaction)
  await sql`update explorer_address_counts known set ${addresses} = known.${addresses} - leaving.addresses
    from (select network, measure, sum(addresses) as addresses
      from explorer_address_hours where ${isLeaving} group by network, measure) leaving
    where known.network = leaving.network and known.measure = leaving.measure`.execute(transaction)
  await sql`update explorer_windows set ${sql.ref(`from_${window}`)} = ${to}`.execute(transaction)
}

/** Hours before the longest window are in no window and are not needed. */
async function deleteOldHours(transaction: DbTransaction): Promise<void> {
  const isOld = sql`hour < (select from_30d from explorer_windows)`
  await sql`delete from explorer_seller_hours where ${isOld}`.execute(transaction)
  await sql`delete from explorer_seller_buyer_hours where ${isOld}`.execute(transaction)
}
