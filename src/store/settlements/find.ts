import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { isSettlement, type Settlement, type SettlementKey, toSettlement } from './settlement.ts'

/** The settlement of this authorization, in whatever state it is. */
export async function find(
  db: Kysely<Database>,
  key: SettlementKey,
): Promise<Settlement | undefined> {
  const row = await db
    .selectFrom('settlements')
    .selectAll()
    .where(isSettlement(key))
    .executeTakeFirst()
  return row && toSettlement(row)
}
