import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { isSettlement, type SettlementKey } from '../settlements/settlement.ts'

/**
 * Counts a recorded settlement as pending, once, until it ends; one that has ended is counted as what
 * it became. One settlement a statement: several at once would wait for each other's rows.
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
