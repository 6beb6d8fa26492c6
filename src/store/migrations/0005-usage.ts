import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Requests of each caller, counted by day. A trigger counts a settlement in the transaction that ends it:
 * exactly once, since a final row never changes. From its claim on, the settlement's row holds the caller
 * and the fee that a success accrues.
 *
 * A settlement answered `settlement_pending` is counted as pending first; its end reverses that, on the
 * same day.
 *
 * A transaction locks the count's row until its commit is on disk, and all settlements of a caller would
 * write the same row. Sixteen rows, distinguished by `shard`, let them end without waiting for each other.
 * Shard 0 holds what replicas counted in memory.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
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
  sql`alter table settlements
    add column caller text not null default 'public',
    add column service_fee bigint not null default 0 check (service_fee >= 0),
    add column pending_on date`,
  sql`create function count_settle(
      settlement settlements, in_outcome text, in_day date, step integer,
      in_amount numeric, in_fee numeric)
    returns void language sql volatile as $$
      insert into usage_counts as known
        values (settlement.caller, in_day, settlement.network, 'settle', in_outcome,
          left(settlement.asset, 64), 1 + settlement.id % 16, step, in_amount, in_fee)
        on conflict (subject, day, network, operation, outcome, asset, shard) do update set
          requests = known.requests + excluded.requests,
          settled_amount = known.settled_amount + excluded.settled_amount,
          fee_accrued = known.fee_accrued + excluded.fee_accrued
    $$`,
  // The pending row always before the final one, so that two transactions cannot deadlock.
  sql`create function meter_settlement() returns trigger language plpgsql as $$
    declare
      counted_on date := coalesce(new.pending_on, (clock_timestamp() at time zone 'UTC')::date);
    begin
      if new.state = 'submitted' then
        perform count_settle(new, 'pending', counted_on, 1, 0, 0);
        return null;
      end if;
      if new.pending_on is not null then
        perform count_settle(new, 'pending', counted_on, -1, 0, 0);
      end if;
      if new.state = 'succeeded' then
        perform count_settle(new, 'success', counted_on, 1, new.amount, new.service_fee);
      else
        perform count_settle(new, 'failure', counted_on, 1, 0, 0);
      end if;
      return null;
    end $$`,
  sql`create trigger settlements_are_metered after update on settlements for each row
    when (old.state = 'submitted' and (
      new.state in ('succeeded', 'failed', 'expired')
      or (old.pending_on is null and new.pending_on is not null)))
    execute function meter_settlement()`,
]

export const usage: Migration = { up }
