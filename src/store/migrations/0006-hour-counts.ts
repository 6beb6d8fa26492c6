import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Events of the last hour that no settlement row records, counted by the minute for all replicas.
 *
 * The sum of the last hour's fees now starts from `statement_timestamp()`: a bound by `clock_timestamp()`,
 * which changes from row to row, cannot use an index. For a claim that waited for the lock the sum covers
 * a moment more than an hour.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table hour_counts (
    network text not null,
    kind text not null,
    minute timestamptz not null,
    count bigint not null check (count > 0),
    primary key (network, minute, kind)
  )`,
  sql`create or replace function fees_of_last_hour(in_network text, in_sponsor text) returns numeric
    language sql volatile as $$
      select coalesce(sum(case
        when state in ('claimed', 'submitted') then fee_committed
        else coalesce(fee_charged, 0) end), 0)
      from settlements
      where network = in_network and sponsor = in_sponsor
        and claimed_at > statement_timestamp() - interval '1 hour'
    $$`,
]

export const hourCounts: Migration = { up }
