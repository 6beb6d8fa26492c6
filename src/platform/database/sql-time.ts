import { type RawBuilder, sql } from 'kysely'

/**
 * The store uses the database's clock, so replicas with wrong clocks agree on what has expired.
 * `clock_timestamp()` advances while a statement waits for a lock; `now()` does not.
 */
export const databaseNow: RawBuilder<Date> = sql<Date>`clock_timestamp()`

/** The database's time `ms` milliseconds from now. */
export const databaseTimeIn = (ms: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`
