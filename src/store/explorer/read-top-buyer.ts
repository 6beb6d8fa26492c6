import { sql } from 'kysely'
import { type NetworkId, networkIds } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'

export interface TopBuyer {
  readonly buyer: string
  readonly payments: number
}

/**
 * Who paid a seller most often on one network, of those that are asked for; undefined before its first payment. The
 * writer keeps it in the seller's row: a busy seller has too many buyers to compare them here.
 *
 * @param seller id of the address
 */
export async function readTopBuyer(
  db: Db,
  seller: number,
  network?: NetworkId,
): Promise<TopBuyer | undefined> {
  const { rows } = await sql<{ readonly buyer: string; readonly payments: bigint }>`
    select buyer.address as buyer, top_buyer_payments as payments
    from explorer_sellers known join explorer_addresses buyer on buyer.id = top_buyer
    where seller = ${seller} and network = any(${network === undefined ? networkIds : [network]})
    order by top_buyer_payments desc, top_buyer limit 1`.execute(db)
  return rows.map(({ buyer, payments }) => ({ buyer, payments: Number(payments) }))[0]
}
