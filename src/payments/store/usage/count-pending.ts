import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { isSettlement, type SettlementKey } from '../settlements/settlement.ts'

/**
 * Counts a recorded settlement as pending until it ends; repeated calls count it once. Does nothing for a
 * settlement that has ended. One settlement a statement: two statements over several could deadlock.
 */
export async function countPendingUsage(db: Db, key: SettlementKey): Promise<void> {
  await db
    .updateTable('settlements')
    .set({ pending_on: sql<string>`(clock_timestamp() at time zone 'UTC')::date` })
    .where(isSettlement(key))
    .where('state', '=', 'submitted')
    .where('pending_on', 'is', null)
    .execute()
}
