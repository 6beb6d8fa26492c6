import type { NetworkId } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { findSettlement } from './find.ts'
import { isSettlement, type Settlement, type SettlementKey, toSettlement } from './settlement.ts'

export interface DueRequest {
  readonly network: NetworkId
  /** At most so many at once. */
  readonly limit: number
  /** They are this caller's to look after for so long. */
  readonly forMs: number
}

/**
 * Takes recorded settlements that nobody follows any more, most overdue first. Each goes to one
 * caller: rows another one is taking are passed over.
 */
export async function takeDueSettlements(
  db: Db,
  { network, limit, forMs }: DueRequest,
): Promise<readonly Settlement[]> {
  const rows = await db
    .with('due', (cte) =>
      cte
        .selectFrom('settlements')
        .select('id')
        .where('network', '=', network)
        .where('state', '=', 'submitted')
        .where('unresolvable_because', 'is', null)
        .where('due_at', '<=', databaseNow)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('settlements')
    .from('due')
    .set({ due_at: databaseTimeIn(forMs) })
    .whereRef('settlements.id', '=', 'due.id')
    .returningAll('settlements')
    .execute()
  return rows.map(toSettlement)
}

/**
 * Says that a recorded settlement is being followed for another `forMs`, and reads it: what it has
 * become may be somebody else's doing. Undefined when there is no such settlement.
 */
export async function renewFollowing(
  db: Db,
  key: SettlementKey,
  forMs: number,
): Promise<Settlement | undefined> {
  const row = await db
    .updateTable('settlements')
    .set({ due_at: databaseTimeIn(forMs) })
    .where(isSettlement(key))
    .where('state', '=', 'submitted')
    .returningAll()
    .executeTakeFirst()
  // Read by a statement of its own: one that waited for the end to be written would not see it, and
  // whoever believed the settlement open would send what the network has refused.
  return row ? toSettlement(row) : findSettlement(db, key)
}

/** Says that nobody can tell what became of a recorded settlement. */
export async function flagUnresolvable(db: Db, key: SettlementKey, because: string): Promise<void> {
  await db
    .updateTable('settlements')
    .set({ unresolvable_because: because })
    .where(isSettlement(key))
    .where('state', '=', 'submitted')
    .execute()
}
