import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'

/**
 * The present in whole Unix seconds, by the clock of this process or that of the database, whichever is behind: what
 * has left a window does not come back into it when a clock that was ahead is set right.
 *
 * @param now Unix milliseconds by the clock of this process
 */
export async function presentSeconds(transaction: DbTransaction, now: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select floor(least(${now / 1_000}::float8, extract(epoch from clock_timestamp())::float8)) as seconds`.execute(
    transaction,
  )
  return rows[0]?.seconds ?? 0
}
