import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'
import { findSettlement } from './find.ts'
import { isSettlement, type Settlement, type SettlementKey, toSettlement } from './settlement.ts'

export interface DueRequest {
  readonly network: NetworkId
  /** Takes at most this many. */
  readonly limit: number
  /** No other replica takes them for this long. */
  readonly forMs: number
}

/**
 * Takes recorded settlements that no replica follows any more, and unresolvable ones that are to be looked up again, most
 * overdue first. Concurrent callers get
 * different settlements: each skips rows that another one has locked.
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
 * Keeps other replicas from taking a recorded settlement for another `forMs`, and reads it: another replica
 * may have finished it. Undefined when there is no such settlement.
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
  // A second statement: when the update waited for the statement that finished the settlement, it returns no
  // row. A caller that then took the settlement for unfinished would send an envelope that the network refused.
  return row ? toSettlement(row) : findSettlement(db, key)
}

/**
 * Marks a recorded settlement whose outcome the ledger can no longer prove. It is due again after `againInMs`: what
 * endpoints answered may have been wrong.
 */
export async function flagUnresolvable(
  db: Db,
  key: SettlementKey,
  because: string,
  againInMs: number,
): Promise<void> {
  await db
    .updateTable('settlements')
    .set({ unresolvable_because: because, due_at: databaseTimeIn(againInMs) })
    .where(isSettlement(key))
    .where('state', '=', 'submitted')
    .execute()
}
