import { sql } from 'kysely'
import { type DbTransaction, inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { lockFigures } from '../figures/lock-figures.ts'
import { partitionOf } from './partitions.ts'

const DAY_SECONDS = 86_400

/** How long a detachment waits for readers. Statements that come meanwhile wait behind it. */
const LOCK_TIMEOUT_MS = 1_000

/**
 * Drops the months of payments that are entirely older, by the latest ledger that was written or by the clock, whichever
 * is behind: a clock that is ahead by months must not delete payments that cannot be read again. Figures stay; the writer takes none of those payments again.
 * Returns the names of the dropped tables. Throws `StoreUnavailable` when reads keep a table for longer than a second.
 *
 * @param guard called first in the transaction; it throws if this process may not write any more
 */
export const dropOldPartitions = (
  db: Db,
  guard: (transaction: DbTransaction) => Promise<unknown>,
  olderThanDays: number,
  nowSeconds: number,
): Promise<readonly string[]> =>
  inTransaction(db, async (transaction) => {
    await guard(transaction)
    const present = await latestClose(transaction, nowSeconds)
    const before = partitionOf(present - olderThanDays * DAY_SECONDS).from
    const { droppedBefore } = await lockFigures(transaction)
    if (before <= droppedBefore) return []
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'explorer_payments'::regclass order by 1`.execute(transaction)
    const { name: kept } = partitionOf(before)
    // The names of months sort as the months do, until the year 10000.
    const dropped = rows.map(({ name }) => name).filter((name) => name < kept)
    await sql`update explorer_windows set dropped_before = ${before}`.execute(transaction)
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction)
    for (const name of dropped) {
      await sql`alter table explorer_payments detach partition ${sql.table(name)}`.execute(
        transaction,
      )
      await sql`drop table ${sql.table(name)}`.execute(transaction)
    }
    return dropped
  })

async function latestClose(transaction: DbTransaction, nowSeconds: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select least(${nowSeconds}::float8, max(last_closed_at)::float8) as seconds
    from explorer_progress`.execute(transaction)
  return rows[0]?.seconds ?? nowSeconds
}
