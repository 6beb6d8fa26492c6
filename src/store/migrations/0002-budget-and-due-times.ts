import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The sponsor's hourly budget, checked under a lock so that all replicas together keep to it; and the time
 * from which any replica may take over a recorded settlement.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`alter table settlements
    add column fee_committed bigint not null default 0 check (fee_committed >= 0),
    add column due_at timestamptz,
    add column unresolvable_because text,
    add constraint only_recorded_rows_are_due check (
      (due_at is null and unresolvable_because is null)
      or state in ('submitted', 'succeeded', 'failed', 'expired'))`,
  sql`create index settlements_due on settlements (due_at, network)
    where state = 'submitted' and unresolvable_because is null`,
  // The maximum fee of unfinished settlements, and the charged fee of ended ones.
  sql`create function fees_of_last_hour(in_network text, in_sponsor text) returns numeric
    language sql volatile as $$
      select coalesce(sum(case
        when state in ('claimed', 'submitted') then fee_committed
        else coalesce(fee_charged, 0) end), 0)
      from settlements
      where network = in_network and sponsor = in_sponsor
        and claimed_at > clock_timestamp() - interval '1 hour'
    $$`,
  // Volatile, so that the sum is read after the lock is held; the lock ends with the transaction that
  // stores `fee_committed`.
  sql`create function commit_fee(in_network text, in_sponsor text, fee bigint, hourly numeric)
    returns bigint language plpgsql volatile as $$
    begin
      if hourly is null then return fee; end if;
      perform pg_advisory_xact_lock(hashtextextended(in_network || ' ' || in_sponsor, 402));
      if fees_of_last_hour(in_network, in_sponsor) + fee > hourly then
        raise exception 'the hourly budget of % is spent', in_sponsor using errcode = 'SVC01';
      end if;
      return fee;
    end $$`,
]

export const budgetAndDueTimes: Migration = { up }
