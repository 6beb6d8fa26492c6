import type { Db } from '../schema.ts'
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

/** @param hash 64 hex digits, of the fee bump */
export async function findSettlementByHash(db: Db, hash: string): Promise<Settlement | undefined> {
  const row = await db
    .selectFrom('settlements')
    .selectAll()
    .where('tx_hash', '=', hash)
    .executeTakeFirst()
  return row && toSettlement(row)
}
