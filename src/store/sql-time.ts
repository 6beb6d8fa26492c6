import { type RawBuilder, sql } from 'kysely'

/**
 * Time in the store is the database's, so that replicas with wrong clocks agree on what expired.
 * `clock_timestamp()` moves on while a statement waits for a lock; `now()` would not.
 */
export const databaseNow: RawBuilder<Date> = sql<Date>`clock_timestamp()`

/** The database's time `ms` milliseconds from now. */
export const databaseTimeIn = (ms: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`
