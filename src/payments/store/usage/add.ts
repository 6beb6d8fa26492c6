import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { UsageLabels } from './labels.ts'

export interface UsageCount extends UsageLabels {
  readonly requests: number
}

/** Counts of one process. It sends the same batch again until the store confirms it. */
export interface UsageBatch {
  /** Identifies the process; no two share one. */
  readonly writer: string
  /** Higher than in every earlier batch of the writer. */
  readonly batch: number
  /** No two with the same labels. */
  readonly counts: readonly UsageCount[]
}

/**
 * Adds a batch, all or nothing, in one statement. A batch that the store has already adds nothing: a process
 * whose answer was lost sends it again, and nothing is counted twice.
 */
export async function addUsage(db: Db, { writer, batch, counts }: UsageBatch): Promise<void> {
  // Sorted by key, so that two replicas cannot deadlock.
  await sql`
    with fresh as (
      insert into usage_writers as known values (${writer}, ${batch}, clock_timestamp())
      on conflict (writer) do update
        set batch = excluded.batch, written_at = excluded.written_at
        where known.batch < excluded.batch
      returning writer
    )
    insert into usage_counts as known
    select subject, day, network, operation, outcome, asset, 0, requests, 0, 0
    from json_to_recordset(${JSON.stringify(counts)}::json) as counted
      (subject text, day date, network text, operation text, outcome text, asset text,
       requests bigint)
    where exists (select from fresh)
    order by subject, day, network, operation, outcome, asset
    on conflict (subject, day, network, operation, outcome, asset, shard)
    do update set requests = known.requests + excluded.requests`.execute(db)
}
