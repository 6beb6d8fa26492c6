import { sql } from 'kysely'

/**
 * Limits of one client and of one payer, for all replicas together.
 *
 * `rate_windows`: how many requests each client has made in the current minute. `allowed` is how many requests all replicas together
 * may admit without a query: never more than the slack. With each query a replica ends its allowance, reports how much of it it used,
 * and gets half of the slack that is left. Unlogged: counting a request must not wait for a disk. A crash of the server empties the
 * table, and each client's minute starts again.
 *
 * `refusal_by_funds`: the amounts of a payer's unfinished settlements of an asset may not exceed its balance.
 */
export const limits = [
  sql`create unlogged table rate_windows (
    client text primary key,
    minute timestamptz not null,
    used integer not null,
    allowed integer not null
  ) with (fillfactor = 50)`,
  sql`create function take_rate(
      in_client text, told_minute timestamptz, told_allowance integer, told_used integer,
      waiting integer, per_minute integer, slack integer,
      out minute timestamptz, out ms_left double precision, out admitted integer,
      out allowance integer, out used integer)
    language plpgsql volatile as $$
    declare
      clock timestamptz;
      promised integer;
    begin
      loop
        select w.minute, w.used, w.allowed into minute, used, promised
          from rate_windows w where w.client = in_client for update;
        exit when found;
        insert into rate_windows values (in_client, '-infinity', 0, 0) on conflict do nothing;
      end loop;
      clock := clock_timestamp();
      if minute < date_trunc('minute', clock) then
        minute := date_trunc('minute', clock);
        used := 0;
        promised := 0;
      end if;
      if told_minute is null or told_minute = minute then
        used := used + told_used;
        promised := greatest(promised - told_allowance, 0);
      end if;
      admitted := greatest(least(waiting, per_minute - used), 0);
      used := used + admitted;
      allowance := greatest(least((slack - promised) / 2, per_minute - used), 0);
      update rate_windows w
        set minute = take_rate.minute, used = take_rate.used, allowed = allowance + promised
        where w.client = in_client;
      ms_left := extract(epoch from minute + interval '1 minute' - clock) * 1000;
    end $$`,
  // An unresolvable settlement is of ledgers long past: its transaction is in the balance, or will never be.
  // Volatile, so that the sum is read after the lock is held; the lock ends with the transaction that
  // stores the claim. Null: the claim may go ahead. in_earlier: the amounts of the payer's earlier claims of
  // the same statement; a claim for which they make the difference is deferred to another statement.
  sql`create function refusal_by_funds(
      in_network text, in_payer text, in_nonce text, in_asset text, in_amount numeric,
      in_funds numeric, in_earlier numeric)
    returns text language plpgsql volatile as $$
    declare
      unfinished numeric;
    begin
      perform pg_advisory_xact_lock(
        hashtextextended(in_network || ' ' || in_payer || ' ' || in_asset, 403));
      select sum(amount) into unfinished from settlements
        where payer = in_payer and asset = in_asset and network = in_network
          and nonce <> in_nonce and state in ('claimed', 'submitted')
          and unresolvable_because is null;
      return case
        when in_funds is null and unfinished is not null then 'funds_unknown'
        when in_funds is null and in_earlier is not null then 'deferred'
        when coalesce(unfinished, 0) + in_amount > in_funds then 'over_funds'
        when coalesce(unfinished, 0) + in_earlier + in_amount > in_funds then 'deferred'
      end;
    end $$`,
]
