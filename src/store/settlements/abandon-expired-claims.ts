import type { Db } from '../schema.ts'
import { databaseNow } from '../sql-time.ts'
import { noLease } from './release.ts'

export interface DeadClaims {
  /** A process known to be gone: its claims are dead before their time is up. */
  readonly owner?: string
}

/**
 * Abandons claims whose time is up and frees their channels; a retry reopens them. Answers how
 * many there were. Recorded settlements are left alone: their envelope may still land. So is a
 * claim that someone else holds at this moment: two sweeps at once share the work.
 */
export async function abandonExpiredClaims(db: Db, { owner }: DeadClaims = {}): Promise<number> {
  const abandoned = await db
    .with('dead', (cte) =>
      cte
        .selectFrom('settlements')
        .select('id')
        .where('state', '=', 'claimed')
        .where((eb) => {
          const isOverdue = eb('claim_expires_at', '<=', databaseNow)
          return owner === undefined ? isOverdue : eb.or([isOverdue, eb('owner', '=', owner)])
        })
        .forUpdate()
        .skipLocked(),
    )
    .with('abandoned', (cte) =>
      cte
        .updateTable('settlements')
        .from('dead')
        .set({ state: 'abandoned' })
        .whereRef('settlements.id', '=', 'dead.id')
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
