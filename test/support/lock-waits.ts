import { type QueryExecutorProvider, sql } from 'kysely'
import { expect } from 'vitest'

/**
 * Counts the statements on this database that wait for a lock. Files share a server, so others may wait on theirs.
 * A wait for a transaction names no database; the table that the same statement has locked does. `pg_stat_activity`
 * would show a transaction the connections that were there at its first look.
 */
export const LOCK_WAITS = `select count(distinct waiting.pid)::int as count
  from pg_locks waiting join pg_locks held using (pid)
  where not waiting.granted
    and held.database = (select oid from pg_database where datname = current_database())`

/** Waits until this number of statements on the database of the connection wait for a lock. */
export const untilLockWaits = (db: QueryExecutorProvider, count: number): Promise<void> =>
  expect
    .poll(async () => (await sql.raw<{ count: number }>(LOCK_WAITS).execute(db)).rows[0]?.count, {
      timeout: 120_000,
      interval: 10,
    })
    .toBe(count)
