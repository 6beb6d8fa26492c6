import { sql } from 'kysely'
import type { Db } from '../../platform/database/schema.ts'
import type { OutcomeStatus } from './tables.ts'

export interface OutcomeCount {
  readonly phase: 'verify' | 'settle'
  readonly status: OutcomeStatus
  /** At least 1. */
  readonly count: number
}

/**
 * Adds to the counts of the current minute, each phase and status named once, in one statement. Its locks last until
 * the transaction ends, so it comes last there.
 *
 * @param writer names this process: each counts in rows of its own, so that no process waits for another
 */
export async function countOutcomes(
  db: Db,
  writer: string,
  counts: readonly OutcomeCount[],
): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into catalog_outcome_counts (minute, phase, status, writer, outcomes)
    select date_trunc('minute', statement_timestamp()), phase, status, ${writer}, count
    from json_to_recordset(${JSON.stringify(counts)}::json) as counts
      (phase text, status text, count bigint)
    order by phase, status
    on conflict (minute, phase, status, writer)
      do update set outcomes = catalog_outcome_counts.outcomes + excluded.outcomes`.execute(db)
}
