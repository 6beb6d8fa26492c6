import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * How many requests each client has made in the current minute, for all replicas.
 *
 * `allowed` is how many requests all replicas together may admit without a query: never more than the slack.
 * With each query a replica ends its allowance, reports how much of it it used, and gets half of the slack
 * that is left.
 *
 * Unlogged: counting a request must not wait for a disk. A crash of the server empties the table, and each
 * client's minute starts again.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
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
]

export const rateWindows: Migration = { up }
