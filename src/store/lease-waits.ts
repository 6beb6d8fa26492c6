import { sql } from 'kysely'
import type { NetworkId } from '../core/caip2.ts'
import type { Db } from './schema.ts'

/** Upper bounds, in milliseconds, that waits for a channel are counted by. */
const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000] as const
export type LeaseWaitBound = (typeof bounds)[number]
export type LeaseWaitKind = `lease_wait_${LeaseWaitBound}`

const LONGEST: LeaseWaitBound = 60_000

/** As what a wait of so many ms is counted; one longer than the last bound counts as that. */
export const leaseWaitKind = (ms: number): LeaseWaitKind =>
  `lease_wait_${bounds.find((bound) => ms <= bound) ?? LONGEST}`

const kinds = bounds.map((bound) => `lease_wait_${bound}`)
/** Counts are kept by the minute: this is the current one and the one before. */
const LOOK_BACK = sql`interval '2 minutes'`

/**
 * Milliseconds in which 95 of 100 settlements of the last two minutes had a channel, over all
 * replicas, rounded up to a bound; undefined when none asked for one.
 */
export async function readLeaseWaitP95Ms(db: Db, network: NetworkId): Promise<number | undefined> {
  const { rows } = await sql<{ kind: string; count: string }>`
    select kind, sum(count)::text as count from hour_counts
    where network = ${network} and minute > statement_timestamp() - ${LOOK_BACK}
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
