import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Lets settlements finish at the same time, and many in one statement.
 *
 * A transaction with a notification holds a lock over all databases of the server until its commit is on disk
 * (Postgres, `PreCommit_Notify`), so transactions that freed channels could only commit one after the other.
 * Now the process that freed a channel notifies afterwards, see freed-channel-notifier.ts. A replica of an
 * earlier version on this schema frees channels without a notification: during an update, settlements that wait
 * for such a channel find it at the next try, within a second.
 *
 * Usage is counted once for each statement instead of each row: one upsert for each label, in the order of the
 * key, so that two statements that finish many settlements cannot deadlock. Each connection writes one of the
 * sixteen shards. A settlement may be counted as pending in one shard and no longer in another; only their sum
 * has a meaning.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`drop trigger freed_channels_are_news on channels`,
  sql`drop function tell_of_a_freed_channel()`,
  sql`drop trigger settlements_are_metered on settlements`,
  sql`drop function meter_settlement()`,
  sql`drop function count_settle(settlements, text, date, integer, numeric, numeric)`,
  // Most statements that update settlements count nothing: the first query ends those.
  sql`create function meter_settlements() returns trigger language plpgsql as $$
    begin
      perform from after where state in ('succeeded', 'failed', 'expired') or pending_on is not null;
      if not found then return null; end if;
      insert into usage_counts as known
        select caller, day, network, 'settle', outcome, left(asset, 64), 1 + pg_backend_pid() % 16,
          sum(step), sum(counted_amount), sum(counted_fee)
        from (
          select after.*, after.state <> 'submitted' as is_final,
            coalesce(after.pending_on, (statement_timestamp() at time zone 'UTC')::date) as day
          from after join before using (id)
          where before.state = 'submitted' and (after.state in ('succeeded', 'failed', 'expired')
            or (before.pending_on is null and after.pending_on is not null))
        ) settlement
        cross join lateral (
          select 'pending', 1, 0, 0 where not is_final
          union all select 'pending', -1, 0, 0 where is_final and pending_on is not null
          union all select 'success', 1, amount, service_fee where state = 'succeeded'
          union all select 'failure', 1, 0, 0 where state in ('failed', 'expired')
        ) counted (outcome, step, counted_amount, counted_fee)
        group by caller, day, network, outcome, left(asset, 64)
        order by caller, day, network, outcome, left(asset, 64)
        on conflict (subject, day, network, operation, outcome, asset, shard) do update set
          requests = known.requests + excluded.requests,
          settled_amount = known.settled_amount + excluded.settled_amount,
          fee_accrued = known.fee_accrued + excluded.fee_accrued;
      return null;
    end $$`,
  sql`create trigger settlements_are_metered after update on settlements
    referencing old table as before new table as after
    for each statement execute function meter_settlements()`,
]

export const parallelFinishes: Migration = { up }
