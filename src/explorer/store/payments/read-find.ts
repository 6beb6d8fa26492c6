import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

export interface NamedSeller {
  readonly network: NetworkId
  readonly payTo: string
  readonly serviceName: string
  readonly payments: number
}

/**
 * Sellers whose name in a catalog contains a text, in letters of any case; most payments first. An index holds the sellers
 * that have a name, which are few beside those that were paid.
 */
export async function findSellers(
  db: Db,
  text: string,
  { network, limit }: { readonly network?: NetworkId; readonly limit: number },
): Promise<readonly NamedSeller[]> {
  const rows = await db
    .selectFrom('explorer_sellers')
    .select(['network', 'address as payTo', 'service_name as serviceName', 'payments'])
    .where('service_name', 'is not', null)
    .where(contains(text))
    .$if(network !== undefined, (query) => query.where('network', '=', network!))
    .orderBy('payments', 'desc')
    .orderBy('address')
    .orderBy('network')
    .limit(limit)
    .execute()
  return rows.map(({ payments, serviceName, ...row }) => ({
    ...row,
    serviceName: serviceName ?? '',
    payments: Number(payments),
  }))
}

/** No pattern: `%` and `_` of the text stand for themselves. */
const contains = (text: string): RawBuilder<boolean> =>
  sql<boolean>`position(lower(${text}) in lower(service_name)) > 0`
