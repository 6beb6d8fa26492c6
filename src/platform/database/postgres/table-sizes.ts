import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** A table with its indexes. The counts of rows are Postgres' own estimates. */
export interface TableSize {
  readonly table: string
  readonly rows: number
  /** Deleted and replaced rows that no vacuum has removed yet. */
  readonly deadRows: number
  readonly bytes: number
  /** When its oldest row was written; undefined when it is empty, or its rows have no time. */
  readonly oldest: Date | undefined
}

/** All tables of the schema, largest first. */
export async function tableSizes(db: Db): Promise<readonly TableSize[]> {
  const { rows } = await sql<{
    table: string
    rows: bigint
    dead: bigint
    bytes: bigint
    oldest: Date | null
  }>`
    select stats.relname as table, stats.n_live_tup as rows, stats.n_dead_tup as dead,
      pg_total_relation_size(stats.relid) as bytes,
      case stats.relname
        when 'settlements' then (select min(claimed_at) from settlements)
        when 'usage_counts' then (select min(day)::timestamptz from usage_counts)
      end as oldest
    from pg_stat_user_tables stats
    where stats.schemaname = current_schema()
    order by bytes desc, stats.relname`.execute(db)
  return rows.map((row) => ({
    table: row.table,
    rows: Number(row.rows),
    deadRows: Number(row.dead),
    bytes: Number(row.bytes),
    oldest: row.oldest ?? undefined,
  }))
}
