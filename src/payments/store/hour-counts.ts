import { sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { LeaseWaitKind } from './lease-waits.ts'

/** Events that no settlement row records, so they are counted. */
export const hourCountKinds = ['repeat', 'lease_timeout', 'sequence_conflict'] as const
export type HourCountKind = (typeof hourCountKinds)[number] | LeaseWaitKind

export interface HourCountRow {
  readonly network: NetworkId
  readonly kind: HourCountKind
  /** At least 1. */
  readonly count: number
}

/** Adds to the counts of the current minute, each network and kind named once, in one statement. */
export type AddHourCounts = (rows: readonly HourCountRow[]) => Promise<void>

/**
 * Counts over all replicas what happened within the last hour, to the minute. Once a minute it also
 * deletes what is older than an hour.
 */
export function hourCountWriter(db: Db): AddHourCounts {
  let cleanedIn: string | undefined
  return async (rows) => {
    if (rows.length === 0) return
    const minute = await add(db, rows)
    if (minute === cleanedIn) return
    cleanedIn = minute
    await deleteOld(db)
  }
}

/** Writes the rows in one order everywhere: two replicas can then not deadlock. */
async function add(db: Db, rows: readonly HourCountRow[]): Promise<string | undefined> {
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

async function deleteOld(db: Db): Promise<void> {
  await sql`delete from hour_counts where (network, minute, kind) in (
    select network, minute, kind from hour_counts
    where minute <= statement_timestamp() - interval '1 hour' - interval '1 minute'
    for update skip locked)`.execute(db)
}
