import type { Db } from '../../../platform/database/schema.ts'
import { type Settlement, type SettlementKey, toSettlement } from './settlement.ts'

/** The recorded, unfinished settlements of one payer in one asset; unresolvable ones excluded. */
export async function listSubmitted(
  db: Db,
  { network, payer }: Pick<SettlementKey, 'network' | 'payer'>,
  asset: string,
): Promise<readonly Settlement[]> {
  const rows = await db
    .selectFrom('settlements')
    .selectAll()
    .where('payer', '=', payer)
    .where('asset', '=', asset)
    .where('network', '=', network)
    .where('state', 'in', ['claimed', 'submitted'])
    .where('state', '=', 'submitted')
    .where('unresolvable_because', 'is', null)
    .execute()
  return rows.map(toSettlement)
}
