import type { Db } from '../../../../platform/database/schema.ts'
import { databaseNow } from '../../../../platform/database/sql-time.ts'
import { noLease } from './release.ts'

/**
 * Abandons expired claims and frees their channels; a retry claims them again. Returns how many.
 * Recorded settlements stay: a ledger may still include their envelope. Rows that another caller has locked
 * are skipped, so concurrent calls share the work.
 */
export async function abandonExpiredClaims(db: Db): Promise<number> {
  const abandoned = await db
    .with('expired', (cte) =>
      cte
        .selectFrom('settlements')
        .select('id')
        .where('state', '=', 'claimed')
        .where('claim_expires_at', '<=', databaseNow)
        .forUpdate()
        .skipLocked(),
    )
    .with('abandoned', (cte) =>
      cte
        .updateTable('settlements')
        .from('expired')
        .set({ state: 'abandoned' })
        .whereRef('settlements.id', '=', 'expired.id')
        .returning('settlements.id'),
    )
    .with('freed', (cte) =>
      cte
        .updateTable('channels')
        .from('abandoned')
        .set({ ...noLease, last_used_at: databaseNow })
        .whereRef('channels.lease_settlement', '=', 'abandoned.id')
        .returning('channels.account'),
    )
    .selectFrom('abandoned')
    .select('id')
    .execute()
  return abandoned.length
}
