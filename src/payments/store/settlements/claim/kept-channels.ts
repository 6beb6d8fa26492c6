/**
 * Every fourth channel is kept for payers that hold few, so that one address with many payments leaves the next
 * payer a channel at once, while many payers fill all channels at once. The index decides, and not the number of channels that are free: statements of two
 * replicas that run at once then need no lock for the channels that they leave. The claim's own statement leases none of
 * them, since it does not compare payers; the claim then waits, and the queue's statement decides at once.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { databaseTimeIn } from '../../../../platform/database/sql-time.ts'

/**
 * One channel in so many is kept; a pool of fewer keeps none. It is the share of the places for simulations that no
 * caller gets as well (`limits/turns/fair-places.ts`).
 */
export const KEPT_ONE_IN = 4

/**
 * A payer may hold one in so many of the pool's channels, and gets kept ones up to that; always its first one. So many addresses
 * can fill a pool of any size.
 */
export const FEW_ONE_IN = 16

/** SQL: the row of `channels` is one of those kept. */
export const isKept: RawBuilder<SqlBool> = sql<SqlBool>`channels.index % ${sql.lit(KEPT_ONE_IN)} = ${sql.lit(KEPT_ONE_IN - 1)}`

/** SQL: any claim may lease the channel. */
export const isShared: RawBuilder<SqlBool> = sql<SqlBool>`not (${isKept})`

/** SQL: a claim of `settlements` has waited for so long. */
export const hasWaited = (keptForMs: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`settlements.claimed_at <= ${databaseTimeIn(-keptForMs)}`

/** SQL: the channel is shared, or was idle for so long while a claim has waited, which `oneHasWaited` says. */
export const isSharedAfter = (
  keptForMs: number,
  oneHasWaited: RawBuilder<SqlBool>,
): RawBuilder<SqlBool> => sql<SqlBool>`(${isShared} or (${oneHasWaited}
    and coalesce(channels.last_used_at, '-infinity') <= ${databaseTimeIn(-keptForMs)}))`
