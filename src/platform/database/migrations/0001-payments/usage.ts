import { sql } from 'kysely'

/**
 * Requests of each caller, counted by day. A trigger counts a settlement in the transaction that ends it:
 * exactly once, since a final row never changes. From its claim on, the settlement's row holds the caller
 * and the fee that a success accrues.
 *
 * A settlement answered `settlement_pending` is counted as pending first; its end, or a refusal of its envelope, reverses that, on
 * the same day.
 *
 * A transaction locks the count's row until its commit is on disk, and all settlements of a caller would
 * write the same row. Sixteen rows, distinguished by `shard`, one for each connection, let them end without waiting for each other.
 * Shard 0 holds what replicas counted in memory. A settlement may be counted as pending in one shard and no longer in another; only
 * their sum has a meaning.
 */
export const usage = [
  sql`create table usage_counts (
    subject text not null,
    day date not null,
    network text not null,
    operation text not null check (operation in ('verify', 'settle')),
    outcome text not null check (outcome in
      ('valid', 'invalid', 'success', 'failure', 'pending', 'repeat')),
    asset text not null,
    shard smallint not null,
    requests bigint not null,
    settled_amount numeric not null,
    fee_accrued numeric not null,
    primary key (subject, day, network, operation, outcome, asset, shard)
  ) with (fillfactor = 50)`,
  sql`create index usage_counts_by_day on usage_counts (day)`,
  // The last batch of each process: a batch that is sent again, since its answer was lost, adds nothing.
  sql`create table usage_writers (
    writer text primary key,
    batch bigint not null,
    written_at timestamptz not null
  )`,
  // One upsert for each label, in the order of the key, so that two statements that finish many settlements cannot deadlock. Most
  // statements that update settlements count nothing: the first query ends those.
  sql`create function meter_settlements() returns trigger language plpgsql as $$
    begin
      perform from after
        where state in ('succeeded', 'failed', 'expired', 'refused') or pending_on is not null;
      if not found then return null; end if;
      insert into usage_counts as known
        select caller, day, network, 'settle', outcome, left(asset, 64), 1 + pg_backend_pid() % 16,
          sum(step), sum(counted_amount), sum(counted_fee)
        from (
          select after.*,
            coalesce(before.pending_on, after.pending_on,
              (statement_timestamp() at time zone 'UTC')::date) as day,
            before.pending_on is not null as was_pending
          from after join before using (id)
          where (before.state in ('submitted', 'refused', 'released', 'abandoned')
              and after.state in ('succeeded', 'failed', 'expired'))
            or (before.state = 'submitted' and after.state = 'submitted'
              and before.pending_on is null and after.pending_on is not null)
            or (before.state = 'submitted' and after.state = 'refused'
              and before.pending_on is not null)
        ) settlement
        cross join lateral (
          select 'pending', 1, 0, 0 where state = 'submitted'
          union all select 'pending', -1, 0, 0 where state <> 'submitted' and was_pending
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
  // When each API key was last used, over all replicas: for `svc keys list`. Room in each page for the new versions of its rows,
  // since each replica updates the row of a key in use about once a minute.
  sql`create table api_key_uses (
    subject text primary key,
    name text,
    last_used_at timestamptz not null
  ) with (fillfactor = 50)`,
  // Events of the last hour that no settlement row records, counted by the minute for all replicas.
  sql`create table hour_counts (
    network text not null,
    kind text not null,
    minute timestamptz not null,
    count bigint not null check (count > 0),
    primary key (network, minute, kind)
  )`,
]
