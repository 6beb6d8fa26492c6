import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'

/** From which hour on each window counts, as `explorer_windows` has it. */
export interface WindowStarts {
  readonly from24h: number
  readonly from7d: number
  readonly from30d: number
  /** Payments before this, in Unix seconds, were dropped with their partitions: they are counted, but no longer known. */
  readonly droppedBefore: number
}

/**
 * Makes this transaction the only one that changes payments or figures until it ends. Each of those reads figures
 * that it then moves on; readers wait for none.
 */
export async function lockFigures(transaction: DbTransaction): Promise<WindowStarts> {
  const locked = await readForUpdate(transaction)
  if (locked) return locked
  // Windows that begin with time itself, until they are rolled forward.
  await sql`insert into explorer_windows (from_24h, from_7d, from_30d) values (0, 0, 0)
    on conflict do nothing`.execute(transaction)
  const created = await readForUpdate(transaction)
  if (!created) throw new Error('the windows have no row')
  return created
}

async function readForUpdate(transaction: DbTransaction): Promise<WindowStarts | undefined> {
  const { rows } = await sql<WindowStarts>`
    select from_24h as "from24h", from_7d as "from7d", from_30d as "from30d",
      dropped_before::float8 as "droppedBefore"
    from explorer_windows for update`.execute(transaction)
  return rows[0]
}
