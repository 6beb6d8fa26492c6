/**
 * The figures of sellers, of buyers and of their pairs, and when each was first and last seen. Counts of unique
 * addresses in a window follow from histograms of those hours, so an address moves from its old hour to the new one.
 */
import { sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { DbTransaction } from '../in-transaction.ts'
import { type CountedPayment, spans, spansOf } from './kind-figures.ts'
import type { WindowStarts } from './lock-figures.ts'
import { hourOf } from './position.ts'
import { recordset } from './recordset.ts'
import type { AddressMeasure } from './tables.ts'

/** Unix seconds. */
interface Seen {
  readonly first: number
  readonly last: number
}

interface Counted extends Seen {
  readonly payments: number
}

interface Context {
  readonly transaction: DbTransaction
  readonly network: NetworkId
  readonly windows: WindowStarts
}

/** Adds new payments to them. A constant number of statements. */
export async function addToPeopleFigures(
  context: Context,
  payments: readonly CountedPayment[],
  addresses: ReadonlyMap<number, string>,
): Promise<void> {
  const buyers = groupBy(payments, ({ buyer }) => String(buyer))
  const pairs = groupBy(payments, ({ seller, buyer }) => `${seller},${buyer}`)
  const sellers = groupBy(payments, ({ seller }) => String(seller))
  const hours = new Deltas()

  const knownBuyers = await upsertBuyers(context, seenOf(buyers))
  const knownPairs = await upsertPairs(context, seenOf(pairs))
  const buyersOfSellers = new Deltas()
  await moveLastBuyers(context, seenOf(pairs), knownPairs, buyersOfSellers)
  const topBuyers = topBuyersOf(seenOf(pairs), knownPairs)
  const knownSellers = await upsertSellers(context, sellers, {
    ...{ addresses, buyersOfSellers, topBuyers },
  })

  for (const [known, seen, firsts, lasts] of [
    [knownBuyers, seenOf(buyers), 'buyers_first', 'buyers_last'],
    [knownSellers, seenOf(sellers), 'sellers_first', 'sellers_last'],
  ] as const) {
    for (const [key, now] of seen) {
      const before = known.get(key)
      const after = merge(before, now)
      hours.move(before && hourOf(before.first), hourOf(after.first), (hour) => `${firsts},${hour}`)
      hours.move(before && hourOf(before.last), hourOf(after.last), (hour) => `${lasts},${hour}`)
    }
  }
  await addAddressHours(context, hours)
}

const merge = (before: Seen | undefined, now: Seen): Seen => ({
  first: Math.min(before?.first ?? now.first, now.first),
  last: Math.max(before?.last ?? now.last, now.last),
})

function groupBy(
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

function seenOf(
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

/** Counts that change, by key; what does not change has no entry. */
class Deltas {
  readonly #byKey = new Map<string, number>()

  add(key: string, delta: number): void {
    const sum = (this.#byKey.get(key) ?? 0) + delta
    if (sum === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, sum)
  }

  /** From one hour to another; a new address has no hour before. */
  move(before: number | undefined, after: number, keyOf: (hour: number) => string): void {
    if (before === after) return
    if (before !== undefined) this.add(keyOf(before), -1)
    this.add(keyOf(after), 1)
  }

  get(key: string): number {
    return this.#byKey.get(key) ?? 0
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#byKey]
  }
}

/** SQL of the times that rows had before the statement, which reads what was there when it began. */
const seenBefore = sql`first_at::float8 as first, last_at::float8 as last`
const widen = sql`first_at = least(known.first_at, excluded.first_at),
  last_at = greatest(known.last_at, excluded.last_at)`

interface KnownRow extends Seen {
  readonly key: string
}
interface KnownPair extends KnownRow, Counted {}
const byKey = <Row extends KnownRow>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.key, row]))

async function upsertBuyers(
  { transaction, network }: Context,
  seen: ReadonlyMap<string, Counted>,
): Promise<ReadonlyMap<string, Seen>> {
  const rows = [...seen].map(([key, { payments, first, last }]) => ({
    ...{ buyer: Number(key), payments, first_at: first, last_at: last },
  }))
  const given = recordset(rows, 'buyer integer, payments bigint, first_at bigint, last_at bigint')
  const known = await sql<KnownRow>`
    with given as materialized (select * from ${given} given), written as (
      insert into explorer_buyers as known (network, buyer, payments, first_at, last_at)
      select ${network}, given.* from given
      on conflict (network, buyer) do update
        set payments = known.payments + excluded.payments, ${widen}
    )
    select given.buyer::text as key, before.first, before.last from given cross join lateral (
      select ${seenBefore} from explorer_buyers
      where network = ${network} and buyer = given.buyer limit 1) before`.execute(transaction)
  return byKey(known.rows)
}

async function upsertPairs(
  { transaction, network }: Context,
  seen: ReadonlyMap<string, Counted>,
): Promise<ReadonlyMap<string, Counted>> {
  const rows = [...seen].map(([key, { payments, first, last }]) => {
    const [seller, buyer] = key.split(',').map(Number)
    return { seller, buyer, payments, first_at: first, last_at: last }
  })
  const given = recordset(
    rows,
    'seller integer, buyer integer, payments bigint, first_at bigint, last_at bigint',
  )
  const known = await sql<KnownPair>`
    with given as materialized (select * from ${given} given), written as (
      insert into explorer_pairs as known (network, seller, buyer, payments, first_at, last_at)
      select ${network}, given.* from given
      on conflict (seller, buyer, network) do update
        set payments = known.payments + excluded.payments, ${widen}
    )
    select given.seller || ',' || given.buyer as key, before.*
    from given cross join lateral (
      select payments::float8 as payments, ${seenBefore} from explorer_pairs pair
      where pair.network = ${network} and pair.seller = given.seller and pair.buyer = given.buyer
      limit 1) before`.execute(transaction)
  return byKey(known.rows)
}

/** Counts each pair in the hour of its last payment, and in the windows of its seller that this hour lies in. */
async function moveLastBuyers(
  { transaction, network, windows }: Context,
  pairs: ReadonlyMap<string, Seen>,
  known: ReadonlyMap<string, Seen>,
  buyersOfSellers: Deltas,
): Promise<void> {
  const hours = new Deltas()
  for (const [key, now] of pairs) {
    const seller = key.slice(0, key.indexOf(','))
    const before = known.get(key)
    const [hourBefore, hour] = [before && hourOf(before.last), hourOf(merge(before, now).last)]
    hours.move(hourBefore, hour, (each) => `${each},${seller}`)
    for (const span of spansOf(hour, windows)) buyersOfSellers.add(`${seller}${span}`, 1)
    if (hourBefore === undefined) continue
    for (const span of spansOf(hourBefore, windows)) buyersOfSellers.add(`${seller}${span}`, -1)
  }
  const rows = hours.entries().flatMap(([key, buyers]) => {
    const [hour = 0, seller = 0] = key.split(',').map(Number)
    return hour >= windows.from30d ? [{ hour, seller, buyers }] : []
  })
  if (rows.length === 0) return
  await sql`insert into explorer_seller_buyer_hours as known (network, hour, seller, buyers)
    select ${network}, given.*
    from ${recordset(rows, 'hour integer, seller integer, buyers integer')} given
    on conflict (hour, network, seller) do update set buyers = known.buyers + excluded.buyers`.execute(
    transaction,
  )
}

const sellerCounters = [
  ...spans.flatMap((span) => [`payments${span}`, `buyers${span}`]),
  'self_payments',
]
const sellerColumns = sellerCounters.map((name) => `${name} integer`).join(', ')
const addSellerCounters = sql.raw(
  sellerCounters.map((name) => `${name} = known.${name} + excluded.${name}`).join(', '),
)

interface TopBuyer {
  readonly top_buyer: number
  readonly top_buyer_payments: number
}

/**
 * Of each seller the best of the buyers that paid it now, with all their payments. The number of a pair never falls, so
 * every other buyer is at most what the best one was before.
 */
function topBuyersOf(
  pairs: ReadonlyMap<string, Counted>,
  known: ReadonlyMap<string, Counted>,
): ReadonlyMap<string, TopBuyer> {
  const tops = new Map<string, TopBuyer>()
  for (const [key, { payments }] of pairs) {
    const [seller = '', buyer] = key.split(',')
    const all = payments + (known.get(key)?.payments ?? 0)
    const top = tops.get(seller)
    const isHigher =
      !top ||
      all > top.top_buyer_payments ||
      (all === top.top_buyer_payments && Number(buyer) < top.top_buyer)
    if (isHigher) tops.set(seller, { top_buyer: Number(buyer), top_buyer_payments: all })
  }
  return tops
}

const isHigher = sql`(excluded.top_buyer_payments, -excluded.top_buyer)
  > (known.top_buyer_payments, -coalesce(known.top_buyer, 0))`
const higherTopBuyer = sql`top_buyer = case when ${isHigher} then excluded.top_buyer else known.top_buyer end,
  top_buyer_payments = greatest(known.top_buyer_payments, excluded.top_buyer_payments)`

interface OfSellers {
  readonly addresses: ReadonlyMap<number, string>
  readonly buyersOfSellers: Deltas
  readonly topBuyers: ReadonlyMap<string, TopBuyer>
}

async function upsertSellers(
  { transaction, network, windows }: Context,
  sellers: ReadonlyMap<string, readonly CountedPayment[]>,
  { addresses, buyersOfSellers, topBuyers }: OfSellers,
): Promise<ReadonlyMap<string, Seen>> {
  const seen = seenOf(sellers)
  const rows = [...sellers].map(([key, payments]) => {
    const { first, last } = seen.get(key) ?? { first: null, last: null }
    const counters: Record<string, number> = Object.fromEntries(
      sellerCounters.map((name) => [name, 0]),
    )
    for (const span of spans) counters[`buyers${span}`] = buyersOfSellers.get(`${key}${span}`)
    for (const { seller, buyer, closedAt } of payments) {
      for (const span of spansOf(hourOf(closedAt), windows)) bump(counters, `payments${span}`)
      if (seller === buyer) bump(counters, 'self_payments')
    }
    const seller = Number(key)
    const address = addresses.get(seller)
    const times = { first_at: first, last_at: last }
    return { seller, address, ...times, ...counters, ...topBuyers.get(key) }
  })
  const given = recordset(
    rows,
    `seller integer, address text, first_at bigint, last_at bigint, top_buyer integer,
      top_buyer_payments bigint, ${sellerColumns}`,
  )
  const names = sql.raw(
    `seller, address, first_at, last_at, top_buyer, top_buyer_payments, ${sellerCounters.join(', ')}`,
  )
  const known = await sql<KnownRow>`
    with given as materialized (select * from ${given} given), written as (
      insert into explorer_sellers as known (network, ${names})
      select ${network}, ${names} from given
      on conflict (network, seller) do update set ${addSellerCounters}, ${widen}, ${higherTopBuyer}
    )
    select given.seller::text as key, before.first, before.last from given cross join lateral (
      select ${seenBefore} from explorer_sellers
      where network = ${network} and seller = given.seller and first_at is not null limit 1) before`.execute(
    transaction,
  )
  return byKey(known.rows)
}

const bump = (counters: Record<string, number>, name: string): void => {
  counters[name] = (counters[name] ?? 0) + 1
}

async function addAddressHours({ transaction, network }: Context, hours: Deltas): Promise<void> {
  const rows = hours.entries().map(([key, addresses]) => {
    const [measure, hour] = key.split(',') as [AddressMeasure, string]
    return { measure, hour: Number(hour), addresses }
  })
  if (rows.length === 0) return
  await sql`insert into explorer_address_hours as known (network, measure, hour, addresses)
    select ${network}, given.*
    from ${recordset(rows, 'measure text, hour integer, addresses integer')} given
    on conflict (network, measure, hour) do update
      set addresses = known.addresses + excluded.addresses`.execute(transaction)
}
