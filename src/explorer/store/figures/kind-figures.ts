import { type RawBuilder, sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { hourOf } from '../ingest/position.ts'
import { recordset } from '../ingest/recordset.ts'
import type { WindowStarts } from './lock-figures.ts'

/** A payment as figures count it. */
export interface CountedPayment {
  readonly kind: number
  readonly seller: number
  readonly buyer: number
  /** Unix seconds. */
  readonly closedAt: number
  readonly amount: bigint
}

const HOURS_A_DAY = 24

/** All time, and each window. */
export const spans = ['', '_24h', '_7d', '_30d'] as const
type Span = (typeof spans)[number]

/** The windows that count a payment of this hour. */
export function spansOf(hour: number, { from24h, from7d, from30d }: WindowStarts): readonly Span[] {
  const isWithin = { '': true, _24h: hour >= from24h, _7d: hour >= from7d, _30d: hour >= from30d }
  return spans.filter((span) => isWithin[span])
}

type Tally = Record<`payments${Span}`, number> &
  Record<`amount${Span}`, bigint> & { first_at: number | null; last_at: number | null }

const columns = spans.map((span) => `payments${span} bigint, amount${span} numeric`).join(', ')
const names = spans.flatMap((span) => [`payments${span}`, `amount${span}`])

const newTally = (): Tally => ({
  ...{ payments: 0, payments_24h: 0, payments_7d: 0, payments_30d: 0 },
  ...{ amount: 0n, amount_24h: 0n, amount_7d: 0n, amount_30d: 0n },
  first_at: null,
  last_at: null,
})

/** SQL: adds the columns of one row to those of another, and widens the time between first and last. */
const addUp = (to: string, from: string): RawBuilder<unknown> =>
  sql.raw(
    [
      ...names.map((name) => `${name} = ${to}.${name} + ${from}.${name}`),
      `first_at = least(${to}.first_at, ${from}.first_at)`,
      `last_at = greatest(${to}.last_at, ${from}.last_at)`,
    ].join(', '),
  )

/**
 * Adds payments to every figure that depends on their kind, or takes them off; what is taken off leaves the times of
 * first and last as they are. A constant number of statements.
 */
export async function addToKindFigures(
  transaction: DbTransaction,
  windows: WindowStarts,
  payments: readonly CountedPayment[],
  sign: 1 | -1 = 1,
): Promise<void> {
  const tallies = { kinds: new Groups(), sellers: new Groups(), buyers: new Groups() }
  const hours = { kinds: new Groups(), sellers: new Groups(), days: new Groups() }
  for (const { kind, seller, buyer, closedAt, amount } of payments) {
    const hour = hourOf(closedAt)
    const within = spansOf(hour, windows)
    const add = (tally: Tally) => addPayment(tally, closedAt, amount, within, sign)
    add(tallies.kinds.of({ kind }))
    add(tallies.sellers.of({ seller, kind }))
    add(tallies.buyers.of({ buyer, kind }))
    add(hours.kinds.of({ hour, kind }))
    add(hours.days.of({ day: Math.floor(hour / HOURS_A_DAY), kind }))
    if (hour >= windows.from30d) add(hours.sellers.of({ hour, seller, kind }))
  }
  const written = `${columns}, first_at bigint, last_at bigint`
  const all = sql.raw(`${names.join(', ')}, first_at, last_at`)
  await sql`update explorer_kinds kind set ${addUp('kind', 'given')}
    from ${recordset(tallies.kinds.rows(), `kind integer, ${written}`)} given
    where kind.id = given.kind`.execute(transaction)
  await sql`insert into explorer_seller_kinds as known (seller, kind, ${all})
    select seller, kind, ${all}
    from ${recordset(tallies.sellers.rows(), `seller integer, kind integer, ${written}`)} given
    on conflict (seller, kind) do update set ${addUp('known', 'excluded')}`.execute(transaction)
  await sql`insert into explorer_buyer_kinds as known (buyer, kind, payments)
    select * from ${recordset(tallies.buyers.rows(), 'buyer integer, kind integer, payments bigint')} given
    on conflict (buyer, kind) do update set payments = known.payments + excluded.payments`.execute(
    transaction,
  )
  const addHour = sql`payments = known.payments + excluded.payments, amount = known.amount + excluded.amount`
  const ofHour = 'payments bigint, amount numeric'
  await sql`insert into explorer_kind_hours as known (hour, kind, payments, amount)
    select * from ${recordset(hours.kinds.rows(), `hour integer, kind integer, ${ofHour}`)} given
    on conflict (hour, kind) do update set ${addHour}`.execute(transaction)
  await sql`insert into explorer_kind_days as known (day, kind, payments, amount)
    select * from ${recordset(hours.days.rows(), `day integer, kind integer, ${ofHour}`)} given
    on conflict (day, kind) do update set ${addHour}`.execute(transaction)
  await sql`insert into explorer_seller_hours as known (hour, seller, kind, payments, amount)
    select * from ${recordset(hours.sellers.rows(), `hour integer, seller integer, kind integer, ${ofHour}`)} given
    on conflict (hour, seller, kind) do update set ${addHour}`.execute(transaction)
}

function addPayment(
  tally: Tally,
  closedAt: number,
  amount: bigint,
  within: readonly Span[],
  sign: 1 | -1,
): void {
  for (const span of within) {
    tally[`payments${span}`] += sign
    tally[`amount${span}`] += sign === 1 ? amount : -amount
  }
  if (sign === -1) return
  tally.first_at = Math.min(tally.first_at ?? closedAt, closedAt)
  tally.last_at = Math.max(tally.last_at ?? closedAt, closedAt)
}

type Key = Readonly<Record<string, number>>

/** Tallies by key; as rows they are in the order of their keys, as their table's index is. */
class Groups {
  readonly #byKey = new Map<string, Key & Tally>()

  of(key: Key): Tally {
    const text = Object.values(key).join()
    const known = this.#byKey.get(text)
    if (known) return known
    const tally = { ...key, ...newTally() } as Key & Tally
    this.#byKey.set(text, tally)
    return tally
  }

  rows(): readonly object[] {
    return [...this.#byKey.values()]
  }
}
