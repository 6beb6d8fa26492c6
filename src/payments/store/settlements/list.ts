import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { type Settlement, toSettlement } from './settlement.ts'

export interface ListRequest {
  readonly network?: NetworkId | undefined
  /** `unresolvable`: those whose outcome the endpoints could not prove. */
  readonly only: 'all' | 'unfinished' | 'unresolvable'
  readonly limit: number
}

/** Settlements, newest claim first. */
export async function listSettlements(
  db: Db,
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

/** Claimed and submitted settlements of a network, oldest claim first. */
export async function listUnfinished(db: Db, network: NetworkId): Promise<readonly Settlement[]> {
  const rows = await db
    .selectFrom('settlements')
    .selectAll()
    .where('network', '=', network)
    .where('state', 'in', ['claimed', 'submitted'])
    .orderBy('claimed_at')
    .orderBy('id')
    .execute()
  return rows.map(toSettlement)
}
