import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { CountedPayment } from '../figures/kind-figures.ts'
import type { WindowStarts } from '../figures/lock-figures.ts'

/** Unix seconds. */
export interface Seen {
  readonly first: number
  readonly last: number
}

export interface Counted extends Seen {
  readonly payments: number
}

/** Arguments of every write of figures. */
export interface FiguresContext {
  readonly transaction: DbTransaction
  readonly network: NetworkId
  readonly windows: WindowStarts
}

/** The time of both; one that was not seen before has none. */
export const mergeSeen = (before: Seen | undefined, now: Seen): Seen => ({
  first: Math.min(before?.first ?? now.first, now.first),
  last: Math.max(before?.last ?? now.last, now.last),
})

/** Payments by key. */
export function groupBy(
  payments: readonly CountedPayment[],
  keyOf: (payment: CountedPayment) => string,
): ReadonlyMap<string, readonly CountedPayment[]> {
  const groups = new Map<string, CountedPayment[]>()
  for (const payment of payments) {
    const key = keyOf(payment)
    const group = groups.get(key)
    if (group) group.push(payment)
    else groups.set(key, [payment])
  }
  return groups
}

/** When, and how often, each was seen. */
export function seenOf(
  groups: ReadonlyMap<string, readonly CountedPayment[]>,
): ReadonlyMap<string, Counted> {
  const seen = new Map<string, Counted>()
  for (const [key, payments] of groups) {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const { closedAt } of payments) {
      first = Math.min(first, closedAt)
      last = Math.max(last, closedAt)
    }
    seen.set(key, { payments: payments.length, first, last })
  }
  return seen
}

/** SQL of the times that rows had before the statement, which reads what was there when it began. */
export const seenBefore = sql`first_at::float8 as first, last_at::float8 as last`
/** SQL: widens the time between first and last by what is given. */
export const widen = sql`first_at = least(known.first_at, excluded.first_at),
  last_at = greatest(known.last_at, excluded.last_at)`

/** A row as it was before. */
export interface KnownRow extends Seen {
  readonly key: string
}
export const byKey = <Row extends KnownRow>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.key, row]))
