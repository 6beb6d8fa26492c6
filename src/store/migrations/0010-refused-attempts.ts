import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The state `refused`: the network refused the envelope of an attempt, so nothing is charged;
 * the next request claims the authorization again. The envelope moves to `refused_attempts`.
 *
 * A replica of an earlier version does not know the state. It answers a request for such a row with
 * `settlement_in_progress`, which clients retry. It cannot send the refused envelope again, since the row has none
 * and its attempt has risen: before each send it reads the row.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table refused_attempts (
    settlement_id bigint not null references settlements (id) on delete cascade,
    attempt integer not null,
    channel text not null,
    envelope_xdr text not null,
    tx_hash text not null,
    inner_hash text not null,
    max_time bigint not null,
    recorded_at timestamptz not null,
    recorded_at_ledger bigint not null,
    result_code text not null,
    refused_at timestamptz not null,
    primary key (settlement_id, attempt)
  )`,
  sql`alter table settlements
    drop constraint known_state,
    add constraint known_state check (state in
      ('claimed', 'submitted', 'succeeded', 'failed', 'expired', 'released', 'abandoned', 'refused')),
    drop constraint recorded_rows_can_be_sent_again,
    add constraint recorded_rows_can_be_sent_again check (
      (state in ('claimed', 'released', 'abandoned', 'refused')
        and num_nonnulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0)
      or (state in ('submitted', 'succeeded', 'failed', 'expired')
        and num_nulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0))`,
  // A recorded row may become refused, as the next attempt. A refused row is claimed as a later attempt, or
  // succeeds when the ledger has one of its envelopes after all.
  sql`drop trigger recorded_rows_never_change on settlements`,
  sql`create trigger recorded_rows_never_change before update on settlements for each row
    when (old.state in ('succeeded', 'failed', 'expired')
      or (old.state in ('submitted', 'refused') and (old.network, old.payer, old.nonce)
        is distinct from (new.network, new.payer, new.nonce))
      or (old.state = 'submitted' and new.state in ('submitted', 'succeeded', 'failed', 'expired')
        and (old.attempt, old.fingerprint, old.channel, old.envelope_xdr, old.tx_hash, old.max_time)
          is distinct from (new.attempt, new.fingerprint, new.channel, new.envelope_xdr, new.tx_hash,
            new.max_time))
      or (old.state = 'submitted' and new.state = 'refused'
        and (old.attempt + 1, old.fingerprint) is distinct from (new.attempt, new.fingerprint))
      or (old.state = 'submitted'
        and new.state not in ('submitted', 'succeeded', 'failed', 'expired', 'refused'))
      or (old.state = 'refused' and not (new.state = 'succeeded'
        or (new.state = 'claimed' and new.attempt > old.attempt))))
    execute function refuse_to_rewrite_a_settlement()`,
  // As in 0008-fee-totals, where only a claim could end without a charge and with another attempt.
  sql`create or replace function total_changed_fees() returns trigger language plpgsql as $$
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
  // As in 0009-parallel-finishes; besides, a refusal ends what was counted as pending, and a row
  // without a record may end.
  sql`create or replace function meter_settlements() returns trigger language plpgsql as $$
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
]

export const refusedAttempts: Migration = { up }
