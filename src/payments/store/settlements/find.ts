import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { isSettlement, type Settlement, type SettlementKey, toSettlement } from './settlement.ts'

/** The settlement of this authorization, in any state. */
export async function findSettlement(db: Db, key: SettlementKey): Promise<Settlement | undefined> {
  const row = await db
    .selectFrom('settlements')
    .selectAll()
    .where(isSettlement(key))
    .executeTakeFirst()
  return row && toSettlement(row)
}

/** The settlements of these authorizations, in any state and order; an authorization may have none. */
export async function findSettlements(
  db: Db,
  keys: readonly SettlementKey[],
): Promise<Settlement[]> {
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('settlements')
    .selectAll()
    .where(sql<SqlBool>`(network, payer, nonce) in (
      select * from json_to_recordset(${JSON.stringify(keys)}::json)
        as keys (network text, payer text, nonce text))`)
    .execute()
  return rows.map(toSettlement)
}

/** @param hash 64 hex digits, of the fee bump */
export async function findSettlementByHash(db: Db, hash: string): Promise<Settlement | undefined> {
  const row = await db
    .selectFrom('settlements')
    .selectAll()
    .where('tx_hash', '=', hash)
    .executeTakeFirst()
  return row && toSettlement(row)
}
