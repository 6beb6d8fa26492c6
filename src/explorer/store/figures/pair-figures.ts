import { sql } from 'kysely'
import { hourOf } from '../ingest/position.ts'
import { recordset } from '../ingest/recordset.ts'
import {
  byKey,
  type Counted,
  type FiguresContext,
  type KnownRow,
  mergeSeen,
  type Seen,
  seenBefore,
  widen,
} from '../ingest/seen.ts'
import { Deltas } from './deltas.ts'
import { spansOf } from './kind-figures.ts'

interface KnownPair extends KnownRow, Counted {}

export async function upsertPairs(
  { transaction, network }: FiguresContext,
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
export async function moveLastBuyers(
  { transaction, network, windows }: FiguresContext,
  pairs: ReadonlyMap<string, Seen>,
  known: ReadonlyMap<string, Seen>,
  buyersOfSellers: Deltas,
): Promise<void> {
  const hours = new Deltas()
  for (const [key, now] of pairs) {
    const seller = key.slice(0, key.indexOf(','))
    const before = known.get(key)
    const [hourBefore, hour] = [before && hourOf(before.last), hourOf(mergeSeen(before, now).last)]
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

export interface TopBuyer {
  readonly top_buyer: number
  readonly top_buyer_payments: number
}

/**
 * For each seller, the buyer with the most payments among those that paid it in this write, all its payments counted. The
 * count of a pair never falls, so no other buyer can pass the stored top buyer.
 */
export function topBuyersOf(
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
