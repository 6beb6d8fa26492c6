import { type RawBuilder, sql } from 'kysely'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { columnOf, type Span } from '../figures/spans.ts'
import { countOfOwnListings } from '../registry/own-listings.ts'

/** A seller on one network, with what it did in a span. */
export interface SellerRow {
  readonly network: NetworkId
  /** Id of the address. */
  readonly seller: number
  readonly payTo: string
  readonly registered: boolean
  readonly serviceName: string | null
  readonly resource: string | null
  readonly description: string | null
  readonly payments: number
  readonly buyers: number
  readonly selfPayments: number
  /** Unix seconds, of all time; null before the first payment. */
  readonly firstAt: number | null
  readonly lastAt: number | null
  /** Resources that our catalog lists for it. */
  readonly resourceCount: number
}

export interface SellersQuery {
  readonly network?: NetworkId | undefined
  readonly span: Span
  /** Only those in a catalog, or only those in none. */
  readonly registered?: boolean | undefined
  readonly limit: number
  readonly offset: number
}

interface Row
  extends Pick<SellerRow, 'network' | 'seller' | 'registered' | 'resource' | 'description'> {
  readonly address: string
  readonly service_name: string | null
  readonly payments: bigint
  readonly buyers: number
  readonly self_payments: bigint
  readonly first_at: bigint | null
  readonly last_at: bigint | null
  readonly resource_count: number
}

/**
 * Sellers by payments in the span, registered ones first, then by address. Those without a payment in the span are
 * left out unless they are registered. Each network gives as many as the page may need, from the index of this rank.
 */
export async function readSellers(db: Db, query: SellersQuery): Promise<readonly SellerRow[]> {
  const { network, span, registered, limit, offset } = query
  const payments = sql.ref(columnOf('payments', span))
  const order = sql`${payments} desc, registered desc, address`
  const part = (condition: RawBuilder<unknown>) => sql`(
    select ${rowColumns(span)} from explorer_sellers
    where network = networks.id and ${condition}
    order by ${order} limit ${limit + offset})`
  const isRegistered = registered === undefined ? sql`true` : sql`registered = ${registered}`
  const parts = [
    part(sql`${payments} > 0 and ${isRegistered}`),
    // A range of its own: those without a payment are the end of the index, and most are not registered.
    ...(registered === false ? [] : [part(sql`${payments} = 0 and registered`)]),
  ]
  const { rows } = await sql<Row>`
    select sellers.*, ${resourceCount} from unnest(${network === undefined ? networkIds : [network]}::text[]) as networks (id)
      cross join lateral (${sql.join(parts, sql` union all `)}) sellers
    order by payments desc, registered desc, address, network
    limit ${limit} offset ${offset}`.execute(db)
  return rows.map(toSeller)
}

/** A seller with the one who paid it most often on this network. */
export interface SellerConduct extends SellerRow {
  /** Undefined before the first payment. */
  readonly topBuyer: TopBuyer | undefined
}

/** The rows of one address, in the order of the networks' names. */
export async function readSeller(
  db: Db,
  payTo: string,
  network?: NetworkId,
): Promise<readonly SellerConduct[]> {
  const { rows } = await sql<Row & TopBuyerRow>`
    select ${rowColumns('all')}, ${resourceCount}, ${topBuyerColumns} from explorer_sellers sellers
    where network = any(${network === undefined ? networkIds : [network]})
      and seller = (select id from explorer_addresses where address = ${payTo})
    order by network`.execute(db)
  return rows.map((row) => ({ ...toSeller(row), topBuyer: toTopBuyer(row) }))
}

const rowColumns = (span: Span) => sql`network, seller, address, registered, service_name, resource,
  description, ${sql.ref(columnOf('payments', span))} as payments,
  ${sql.ref(columnOf('buyers', span))} as buyers, self_payments, first_at, last_at`

/** Counted for the rows of the answer alone. */
const resourceCount = sql`case when registered
  then ${countOfOwnListings(sql`sellers.network`, sql`sellers.address`)} else 0 end as resource_count`

const toSeller = ({
  address: payTo,
  service_name: serviceName,
  first_at: firstAt,
  last_at: lastAt,
  self_payments: selfPayments,
  resource_count: resourceCount,
  payments,
  ...same
}: Row): SellerRow => ({
  ...same,
  payTo,
  serviceName,
  payments: Number(payments),
  selfPayments: Number(selfPayments),
  firstAt: firstAt === null ? null : Number(firstAt),
  lastAt: lastAt === null ? null : Number(lastAt),
  resourceCount,
})

interface TopBuyer {
  readonly buyer: string
  readonly payments: number
}

interface TopBuyerRow {
  readonly top_buyer_address: string | null
  readonly top_buyer_payments: bigint
}

/**
 * Columns of `explorer_sellers`: who paid the seller most often on this network. The writer keeps it in the seller's row: a
 * busy seller has too many buyers to compare them when it is read.
 */
const topBuyerColumns = sql`top_buyer_payments,
  (select address from explorer_addresses where id = top_buyer) as top_buyer_address`

/** Undefined before the first payment. */
const toTopBuyer = ({
  top_buyer_address: buyer,
  top_buyer_payments: payments,
}: TopBuyerRow): TopBuyer | undefined =>
  buyer === null ? undefined : { buyer, payments: Number(payments) }
