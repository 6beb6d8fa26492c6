import { sql } from 'kysely'
import { networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { SellersQuery } from '../stats/read-sellers.ts'
import { columnOf } from './spans.ts'

/**
 * How many sellers the pages of a query have together. Those that were paid in the span have a count of their own,
 * those that are registered by an index of their own: no count visits every seller.
 */
export async function countSellers(
  db: Db,
  { network, span, registered }: Omit<SellersQuery, 'limit' | 'offset'>,
): Promise<number> {
  const networks = network === undefined ? networkIds : [network]
  const { rows } = await sql<{ paid: string; listed: bigint; listed_and_paid: bigint }>`
    select
      (select coalesce(sum(${sql.ref(columnOf('addresses', span))}), 0) from explorer_address_counts
        where network = any(${networks}) and measure = 'sellers_last') as paid,
      count(*) as listed,
      count(*) filter (where ${sql.ref(columnOf('payments', span))} > 0) as listed_and_paid
    from explorer_sellers where network = any(${networks}) and registered`.execute(db)
  const [row] = rows
  const [paid, listed, both] = [
    Number(row?.paid ?? 0),
    Number(row?.listed ?? 0),
    Number(row?.listed_and_paid ?? 0),
  ]
  if (registered === undefined) return paid + listed - both
  return registered ? listed : paid - both
}
