import { sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'

/** Waits for a channel are counted in these buckets: upper bounds in milliseconds. */
const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000] as const
type LeaseWaitBound = (typeof bounds)[number]
export type LeaseWaitKind = `lease_wait_${LeaseWaitBound}`

const MAX_BOUND_MS: LeaseWaitBound = 60_000

/** The bucket of a wait; a wait beyond the last bound counts in the last bucket. */
export const leaseWaitKind = (ms: number): LeaseWaitKind =>
  `lease_wait_${bounds.find((bound) => ms <= bound) ?? MAX_BOUND_MS}`

const kinds = bounds.map((bound) => `lease_wait_${bound}`)
/** Counts are kept by the minute: the current minute and the one before. */
const PERIOD = sql`interval '2 minutes'`

/**
 * The 95th percentile of the wait for a channel in the last two minutes, in milliseconds: over all
 * replicas, rounded up to a bound; undefined when no settlement needed a channel.
 */
export async function readLeaseWaitP95Ms(db: Db, network: NetworkId): Promise<number | undefined> {
  const { rows } = await sql<{ kind: string; count: string }>`
    select kind, sum(count)::text as count from hour_counts
    where network = ${network} and minute > statement_timestamp() - ${PERIOD}
      and kind in (${sql.join(kinds)})
    group by kind`.execute(db)
  const counts = new Map(rows.map(({ kind, count }) => [kind, Number(count)]))
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let within = 0
  return bounds.find((bound) => {
    within += counts.get(`lease_wait_${bound}`) ?? 0
    return within >= total * 0.95
  })
}
