import { sql } from 'kysely'

/**
 * Fees of each sponsor's settlements by the minute of their claim, of all callers together (caller '') and of
 * each. A claim that added up the rows of an hour to check the hourly budget would need 200 ms with 200,000 of them.
 *
 * Triggers add to the totals whenever any statement changes what a settlement costs. A statement
 * adds to a row of its minute that no other transaction has locked, or inserts another row: so no statement
 * waits for a total, and none can deadlock over one. Only the sum of a minute has a meaning; a row alone may be
 * negative.
 */
export const fees = [
  sql`create table fee_totals (
    id bigint generated always as identity primary key,
    network text not null,
    sponsor text not null,
    caller text not null,
    minute timestamptz not null,
    fees bigint not null
  ) with (fillfactor = 50)`,
  sql`create index fee_totals_by_minute on fee_totals (network, sponsor, caller, minute)`,
  sql`create index fee_totals_by_age on fee_totals (minute)`,
  // The maximum fee of an unfinished settlement whose envelope a ledger can include, and the charged fee of an ended one.
  sql`create function fee_of(settlement settlements) returns bigint language sql immutable as $$
      select case when settlement.state in ('claimed', 'submitted') and not settlement.awaits_authorization
          then settlement.fee_committed
        else coalesce(settlement.fee_charged, 0) end
    $$`,
  // No sum reads a minute that is over for more than an hour, so its rows are deleted, and not written again.
  sql`create function add_fees(
      in_network text, in_sponsor text, in_caller text, in_minute timestamptz, in_fees bigint)
    returns void language plpgsql volatile as $$
    declare
      kept_from constant timestamptz := statement_timestamp() - interval '2 hours';
    begin
      if in_minute < kept_from then return; end if;
      update fee_totals set fees = fees + in_fees where id = (
        select id from fee_totals
        where network = in_network and sponsor = in_sponsor and caller = in_caller and minute = in_minute
        limit 1 for update skip locked);
      if found then return; end if;
      insert into fee_totals (network, sponsor, caller, minute, fees)
        values (in_network, in_sponsor, in_caller, in_minute, in_fees);
      delete from fee_totals where id in (
        select id from fee_totals where minute < kept_from limit 100 for update skip locked);
    end $$`,
  sql`create function total_new_fees() returns trigger language plpgsql as $$
    begin
      perform add_fees(network, sponsor, callers.caller, date_trunc('minute', claimed_at),
          sum(fee_of(after))::bigint)
        from after cross join lateral (values (''), (after.caller)) callers (caller)
        group by network, sponsor, callers.caller, date_trunc('minute', claimed_at);
      return null;
    end $$`,
  // A new attempt has its own fee. Of the one before, the charge stays; a claim that expired had no envelope, and a refused
  // envelope is not charged.
  sql`create function total_changed_fees() returns trigger language plpgsql as $$
    begin
      perform add_fees(changed.network, changed.sponsor, callers.caller,
          date_trunc('minute', changed.claimed_at), sum(changed.fees)::bigint)
        from (
          select after.network, after.sponsor, after.caller, after.claimed_at, fee_of(after) as fees
            from after join before using (id)
            where (before.attempt, before.claimed_at, fee_of(before))
              is distinct from (after.attempt, after.claimed_at, fee_of(after))
          union all
          select before.network, before.sponsor, before.caller, before.claimed_at, -fee_of(before)
            from after join before using (id)
            where (before.attempt, before.claimed_at, fee_of(before))
                is distinct from (after.attempt, after.claimed_at, fee_of(after))
              and (before.attempt = after.attempt or before.state in ('claimed', 'submitted'))
        ) changed
        cross join lateral (values (''), (changed.caller)) callers (caller)
        group by changed.network, changed.sponsor, callers.caller,
          date_trunc('minute', changed.claimed_at)
        having sum(changed.fees) <> 0;
      return null;
    end $$`,
  sql`create trigger new_fees_are_totalled after insert on settlements
    referencing new table as after for each statement execute function total_new_fees()`,
  sql`create trigger changed_fees_are_totalled after update on settlements
    referencing old table as before new table as after
    for each statement execute function total_changed_fees()`,
  // Whole minutes: the sum covers up to a minute more than the hour, never less. In plpgsql, which plans the
  // query once for each connection; a function in SQL would be planned by each statement that calls it.
  sql`create function fees_of_last_hour(in_network text, in_sponsor text, in_caller text) returns numeric
    language plpgsql volatile as $$
    begin
      return (select coalesce(sum(fees), 0) from fee_totals
        where network = in_network and sponsor = in_sponsor and caller = in_caller
          and minute > statement_timestamp() - interval '1 hour' - interval '1 minute');
    end $$`,
  // One lock for each sponsor, so that all replicas together keep to the budget. It ends with the transaction, and the sum is
  // read after it is held.
  sql`create function hold_fees(
      in_network text, in_sponsor text, in_caller text, in_fees numeric, most numeric)
    returns void language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(in_network || ' ' || in_sponsor, 402));
      if fees_of_last_hour(in_network, in_sponsor, in_caller) + in_fees > most then
        raise exception 'the fees of the last hour leave too little'
          using errcode = case in_caller when '' then 'SVC01' else 'SVC02' end;
      end if;
    end $$`,
]
