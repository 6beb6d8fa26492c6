import type { Kysely } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { Database } from '../schema.ts'
import { type Settlement, toSettlement } from './settlement.ts'

/** Claimed and submitted settlements of a network, oldest claim first. */
export async function unfinished(
  db: Kysely<Database>,
  network: NetworkId,
): Promise<readonly Settlement[]> {
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
