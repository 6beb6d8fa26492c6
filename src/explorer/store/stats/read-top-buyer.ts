import { sql } from 'kysely'

export interface TopBuyer {
  readonly buyer: string
  readonly payments: number
}

export interface TopBuyerRow {
  readonly top_buyer_address: string | null
  readonly top_buyer_payments: bigint
}

/**
 * Columns of `explorer_sellers`: who paid the seller most often on this network. The writer keeps it in the seller's row: a
 * busy seller has too many buyers to compare them when it is read.
 */
export const topBuyerColumns = sql`top_buyer_payments,
  (select address from explorer_addresses where id = top_buyer) as top_buyer_address`

/** Undefined before the first payment. */
export const toTopBuyer = ({
  top_buyer_address: buyer,
  top_buyer_payments: payments,
}: TopBuyerRow): TopBuyer | undefined =>
  buyer === null ? undefined : { buyer, payments: Number(payments) }
