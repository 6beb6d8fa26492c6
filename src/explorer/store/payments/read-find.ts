import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { isShown } from '../registry/own-listings.ts'

export interface NamedSeller {
  readonly network: NetworkId
  readonly payTo: string
  readonly serviceName: string
  readonly payments: number
}

/**
 * Sellers of whom a catalog has a name that contains a text, in letters of any case, each once; most payments first. One index holds the
 * sellers that have a name, which are few beside those that were paid; another one the names of our listings, of which a seller may have many.
 */
export async function findSellers(
  db: Db,
  text: string,
  { network, limit }: { readonly network?: NetworkId; readonly limit: number },
): Promise<readonly NamedSeller[]> {
  const isOn = (table: string) =>
    network === undefined ? sql`true` : sql`${sql.ref(`${table}.network`)} = ${network}`
  const { rows } = await sql<Omit<NamedSeller, 'payments'> & { readonly payments: bigint }>`
    with named as (
      select network, address, service_name, 0 as place from explorer_sellers seller
      where service_name is not null and ${contains(text)} and ${isOn('seller')}
      union all
      select option.network, option.pay_to_account, listed.service_name, 1
      from (select id, service_name from listings listing
          where service_name is not null and ${isShown} and ${contains(text)}) listed
        join listing_options option on option.listing_id = listed.id and ${isOn('option')}
    ), each as (
      select distinct on (network, address) network, address, service_name from named
      order by network, address, place, service_name
    )
    select each.network, each.address as "payTo", each.service_name as "serviceName",
      coalesce(seller.payments, 0) as payments
    from each
      left join explorer_addresses known on known.address = each.address
      left join explorer_sellers seller on (seller.network, seller.seller) = (each.network, known.id)
    order by payments desc, each.address, each.network limit ${limit}`.execute(db)
  return rows.map(({ payments, ...row }) => ({ ...row, payments: Number(payments) }))
}

/** No pattern: `%` and `_` of the text stand for themselves. */
const contains = (text: string): RawBuilder<boolean> =>
  sql<boolean>`position(lower(${text}) in lower(service_name)) > 0`
