import { type Kysely, sql } from 'kysely'
import type { NetworkId } from '../core/caip2.ts'
import { type LeaseWaitKind, leaseWaitP95Ms } from './lease-waits.ts'
import type { Database } from './schema.ts'

/** What leaves no row of its own, and is counted instead. */
export const hourCountKinds = ['repeat', 'lease_timeout', 'sequence_conflict'] as const
export type HourCountKind = (typeof hourCountKinds)[number] | LeaseWaitKind

export interface HourCountRow {
  readonly network: NetworkId
  readonly kind: HourCountKind
  /** More than zero. */
  readonly count: number
}

/** How often something happened within the last hour, over all replicas, to the minute. */
export interface HourCountRepository {
  /**
   * Adds to the current minute, each network and kind named once, in one statement. Once a minute it
   * also takes away what is older than an hour.
   */
  add(rows: readonly HourCountRow[]): Promise<void>
  leaseWaitP95Ms(network: NetworkId): Promise<number | undefined>
}

export function hourCountRepository(db: Kysely<Database>): HourCountRepository {
  let tidied: string | undefined
  return {
    add: async (rows) => {
      if (rows.length === 0) return
      const minute = await add(db, rows)
      if (minute === tidied) return
      tidied = minute
      await forgetOld(db)
    },
    leaseWaitP95Ms: (network) => leaseWaitP95Ms(db, network),
  }
}

/** In one order everywhere, so that two replicas never wait for each other's rows. */
async function add(
  db: Kysely<Database>,
  rows: readonly HourCountRow[],
): Promise<string | undefined> {
  const added = await sql<{ minute: string }>`
    insert into hour_counts (network, kind, minute, count)
    select network, kind, date_trunc('minute', statement_timestamp()), count
    from json_to_recordset(${JSON.stringify(rows)}::json) as rows
      (network text, kind text, count bigint)
    order by network, kind
    on conflict (network, minute, kind) do update set count = hour_counts.count + excluded.count
    returning minute::text as minute`.execute(db)
  return added.rows[0]?.minute
}

async function forgetOld(db: Kysely<Database>): Promise<void> {
  await sql`delete from hour_counts where (network, minute, kind) in (
    select network, minute, kind from hour_counts
    where minute <= statement_timestamp() - interval '1 hour' - interval '1 minute'
    for update skip locked)`.execute(db)
}
