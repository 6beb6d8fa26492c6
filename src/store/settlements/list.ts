import type { Kysely } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { Database } from '../schema.ts'
import { type Settlement, toSettlement } from './settlement.ts'

export interface ListRequest {
  readonly network?: NetworkId | undefined
  /** `unresolvable`: those that only an operator can end. */
  readonly only: 'all' | 'unfinished' | 'unresolvable'
  readonly limit: number
}

/** Settlements for an operator's eyes, newest claim first. */
export async function list(
  db: Kysely<Database>,
  { network, only, limit }: ListRequest,
): Promise<readonly Settlement[]> {
  const rows = await db
    .selectFrom('settlements')
    .selectAll()
    .$if(network !== undefined, (query) =>
      query.where('network', '=', network ?? 'stellar:testnet'),
    )
    .$if(only === 'unfinished', (query) => query.where('state', 'in', ['claimed', 'submitted']))
    .$if(only === 'unresolvable', (query) =>
      query.where('state', '=', 'submitted').where('unresolvable_because', 'is not', null),
    )
    .orderBy('claimed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toSettlement)
}

/** @param hash 64 hex digits, of the fee bump */
export async function findByHash(
  db: Kysely<Database>,
  hash: string,
): Promise<Settlement | undefined> {
  const row = await db
    .selectFrom('settlements')
    .selectAll()
    .where('tx_hash', '=', hash)
    .executeTakeFirst()
  return row && toSettlement(row)
}
