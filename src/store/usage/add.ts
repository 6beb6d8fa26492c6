import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { UsageLabels } from './labels.ts'

export interface UsageCount extends UsageLabels {
  readonly requests: number
}

/** Counts of one process, which come as they are as often as it takes. */
export interface UsageBatch {
  /** Names the process; no two share one. */
  readonly writer: string
  /** Higher than that of each batch before. */
  readonly batch: number
  /** Each with other labels. */
  readonly counts: readonly UsageCount[]
}

/**
 * Adds a batch, all of it or nothing, in one statement. One that is in already adds nothing: so a
 * process whose answer was lost asks again, and nothing is counted twice.
 */
export async function addUsage(db: Db, { writer, batch, counts }: UsageBatch): Promise<void> {
  // In the order of the key, so that two replicas never wait for each other's rows.
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
