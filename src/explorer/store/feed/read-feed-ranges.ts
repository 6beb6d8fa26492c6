import { type RawBuilder, sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { closedAtOf, lastPositionAt } from '../ingest/position.ts'
import type { Confidence } from '../tables.ts'

/** The filter of a reader of payments; the members combine with AND. */
export interface PaymentFilters {
  readonly network?: NetworkId | undefined
  /** `C...` */
  readonly asset?: string | undefined
  readonly scheme?: SchemeName | undefined
  readonly seller?: string | undefined
  readonly buyer?: string | undefined
  readonly facilitator?: string | undefined
  readonly confidence?: Confidence | undefined
}

/** Payments of one kind, and of one seller or buyer if the filters name them: a range of one index. */
export interface FeedRange {
  readonly kind: number
  /** No payment of the range has a higher position; whether one has this position is not known. */
  readonly latest: bigint
}

export interface FeedRanges {
  readonly ranges: readonly FeedRange[]
  /** Id of the address; undefined without the filter. */
  readonly seller: number | undefined
  readonly buyer: number | undefined
}

interface Row {
  readonly kind: number
  readonly last_at: bigint
  readonly seller: number | null
  readonly buyer: number | null
}

/**
 * The ranges that may have payments at or below a position. An address, asset or facilitator that no payment has gives
 * none.
 */
export async function readFeedRanges(
  db: Db,
  filters: PaymentFilters,
  highest: bigint,
): Promise<FeedRanges> {
  const { source, first, last, ids } = sourceOf(filters)
  const { rows } = await sql<Row>`
    select k.id as kind, ${last} as last_at, ${ids}
    from ${source}
    where ${first} <= ${closedAtOf(highest)} ${kindConditions(filters)}`.execute(db)
  return {
    ranges: rows.map(({ kind, last_at: lastAt }) => ({
      kind,
      latest: lastPositionAt(Number(lastAt)) < highest ? lastPositionAt(Number(lastAt)) : highest,
    })),
    seller: rows[0]?.seller ?? undefined,
    buyer: rows[0]?.buyer ?? undefined,
  }
}

/**
 * Where the kinds of an address come from, between which times they have payments, and their order from the one that
 * is likely to have most of a page.
 */
export function sourceOf({ seller, buyer }: PaymentFilters) {
  const ofSeller = sql`explorer_seller_kinds s on s.kind = k.id and s.seller = ${idOf(seller)}`
  const ofBuyer = sql`explorer_buyer_kinds b on b.kind = k.id and b.buyer = ${idOf(buyer)}`
  const source = [
    sql`explorer_kinds k`,
    ...(seller === undefined ? [] : [ofSeller]),
    ...(buyer === undefined ? [] : [ofBuyer]),
  ]
  const times = seller === undefined ? 'k' : 's'
  return {
    source: sql.join(source, sql` join `),
    first: sql.ref(`${times}.first_at`),
    last: sql.ref(`${times}.last_at`),
    busiest:
      buyer === undefined
        ? sql`${sql.ref(`${times}.payments_24h`)} desc, ${sql.ref(`${times}.payments`)} desc`
        : sql`b.payments desc`,
    ids: sql`${seller === undefined ? sql`null` : sql`s.seller`} as seller,
      ${buyer === undefined ? sql`null` : sql`b.buyer`} as buyer`,
  }
}

/** SQL of the number of an address. */
export const idOf = (address: string | undefined) =>
  sql`(select id from explorer_addresses where address = ${address})`

/** Conditions on `explorer_kinds k`, each with a leading `and`. */
export function kindConditions(filters: PaymentFilters): RawBuilder<unknown> {
  const { network, asset, scheme, facilitator, confidence } = filters
  const conditions = [
    ...(network === undefined ? [] : [sql`and k.network = ${network}`]),
    ...(scheme === undefined ? [] : [sql`and k.scheme = ${scheme}`]),
    ...(confidence === undefined ? [] : [sql`and k.confidence = ${confidence}`]),
    ...(facilitator === undefined ? [] : [sql`and k.facilitator = ${facilitator}`]),
    ...(asset === undefined
      ? []
      : [
          sql`and k.asset = any(array(select id from explorer_assets
          where network = any(${networkIds}) and contract = ${asset}))`,
        ]),
  ]
  return sql.join(conditions, sql` `)
}
