/**
 * The figures of sellers, of buyers and of their pairs, and when each was first and last seen. Counts of unique
 * addresses in a window follow from histograms of those hours, so an address moves from its old hour to the new one.
 */
import { sql } from 'kysely'
import { hourOf } from '../ingest/position.ts'
import { recordset } from '../ingest/recordset.ts'
import {
  byKey,
  type Counted,
  type FiguresContext,
  groupBy,
  type KnownRow,
  mergeSeen,
  type Seen,
  seenBefore,
  seenOf,
  widen,
} from '../ingest/seen.ts'
import type { AddressMeasure } from '../tables.ts'
import { Deltas } from './deltas.ts'
import { type CountedPayment, spans, spansOf } from './kind-figures.ts'
import { moveLastBuyers, type TopBuyer, topBuyersOf, upsertPairs } from './pair-figures.ts'

/** Adds new payments to them. A constant number of statements. */
export async function addToPeopleFigures(
  context: FiguresContext,
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
      const after = mergeSeen(before, now)
      hours.move(before && hourOf(before.first), hourOf(after.first), (hour) => `${firsts},${hour}`)
      hours.move(before && hourOf(before.last), hourOf(after.last), (hour) => `${lasts},${hour}`)
    }
  }
  await addAddressHours(context, hours)
}

async function upsertBuyers(
  { transaction, network }: FiguresContext,
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

const sellerCounters = [
  ...spans.flatMap((span) => [`payments${span}`, `buyers${span}`]),
  'self_payments',
]
const sellerColumns = sellerCounters.map((name) => `${name} integer`).join(', ')
const addSellerCounters = sql.raw(
  sellerCounters.map((name) => `${name} = known.${name} + excluded.${name}`).join(', '),
)

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
  { transaction, network, windows }: FiguresContext,
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

/** How many addresses were seen first and last in each hour, and the sums of these hours over all time and each window. */
async function addAddressHours(
  { transaction, network, windows }: FiguresContext,
  hours: Deltas,
): Promise<void> {
  const rows = hours.entries().map(([key, addresses]) => {
    const [measure, hour] = key.split(',') as [AddressMeasure, string]
    return { measure, hour: Number(hour), addresses }
  })
  if (rows.length === 0) return
  const sums = new Deltas()
  for (const { measure, hour, addresses } of rows) {
    for (const span of spansOf(hour, windows)) sums.add(`${measure}${span}`, addresses)
  }
  const given = [...new Set(rows.map(({ measure }) => measure))].map((measure) => ({
    measure,
    ...Object.fromEntries(spans.map((span) => [`addresses${span}`, sums.get(`${measure}${span}`)])),
  }))
  await sql`with counted as (
      insert into explorer_address_counts as known (network, measure, ${countNames})
      select ${network}, measure, ${countNames}
      from ${recordset(given, `measure text, ${countColumns}`)} given
      on conflict (network, measure) do update set ${addCounts}
    )
    insert into explorer_address_hours as known (network, measure, hour, addresses)
    select ${network}, given.*
    from ${recordset(rows, 'measure text, hour integer, addresses integer')} given
    on conflict (network, measure, hour) do update
      set addresses = known.addresses + excluded.addresses`.execute(transaction)
}

const counts = spans.map((span) => `addresses${span}`)
const countNames = sql.raw(counts.join(', '))
const countColumns = counts.map((name) => `${name} integer`).join(', ')
const addCounts = sql.raw(
  counts.map((name) => `${name} = known.${name} + excluded.${name}`).join(', '),
)
