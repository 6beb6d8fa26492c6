import { sql } from 'kysely'

/**
 * The constraints carry the invariants of a settlement, so that no code path can break them:
 * one row per authorization; a submitted row has all it takes to send the envelope again; a final
 * row has exactly one response and never changes; recorded bytes never change; a channel belongs
 * to at most one unfinished settlement. When the network asks for a higher fee than an envelope bids, the row becomes `refused`, with nothing
 * charged, the envelope moves to `refused_attempts`, and the next bid or request claims the authorization again.
 *
 * `response` is json, not jsonb: a repeat is answered with the members in the order first sent.
 * `was_refused` stays true once the network has refused an attempt. `caller` and `service_fee` are whose usage counts it, and what a success accrues; `due_at` is when any replica may take over a
 * recorded settlement; `awaits_authorization` that no ledger can include its envelope any more: it holds no channel, and the payer's
 * authorization may still be used by others; `expiration_ledger`, the last one in which the authorization is valid, is for retention: see
 * delete-old.ts.
 *
 * Postgres vacuums a table by default once a fifth of it is dead. Retention deletes a small part of a large table
 * at a time, so the settlements are vacuumed and analysed after a fiftieth.
 */
export const settlements = [
  sql`create table settlements (
    id bigint generated always as identity primary key,
    network text not null,
    payer text not null,
    nonce text not null,
    attempt integer not null check (attempt >= 1),
    state text not null,
    was_refused boolean not null default false,
    fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
    scheme text not null,
    asset text not null,
    pay_to text not null,
    amount numeric(39, 0) not null check (amount >= 0),
    resource_url text,
    caller text not null default 'public',
    service_fee bigint not null default 0 check (service_fee >= 0),
    sponsor text not null,
    fee_committed bigint not null default 0 check (fee_committed >= 0),
    owner text not null,
    claimed_at timestamptz not null,
    claim_expires_at timestamptz not null,
    expiration_ledger bigint,
    channel text,
    envelope_xdr text,
    tx_hash text unique check (tx_hash ~ '^[0-9a-f]{64}$'),
    inner_hash text check (inner_hash ~ '^[0-9a-f]{64}$'),
    max_time bigint,
    recorded_at timestamptz,
    recorded_at_ledger bigint,
    due_at timestamptz,
    awaits_authorization boolean not null default false,
    unresolvable_because text,
    pending_on date,
    ledger bigint,
    fee_charged bigint check (fee_charged >= 0),
    failure_code text,
    response json,
    finished_at timestamptz,
    constraint one_row_per_authorization unique (network, payer, nonce),
    constraint known_state check (state in
      ('claimed', 'submitted', 'succeeded', 'failed', 'expired', 'released', 'abandoned', 'refused')),
    constraint recorded_rows_can_be_sent_again check (
      (state in ('claimed', 'released', 'abandoned', 'refused')
        and num_nonnulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0)
      or (state in ('submitted', 'succeeded', 'failed', 'expired')
        and num_nulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0)),
    constraint only_recorded_rows_are_due check (
      (due_at is null and unresolvable_because is null)
      or state in ('submitted', 'succeeded', 'failed', 'expired')),
    constraint final_rows_have_one_response check (
      (state in ('succeeded', 'failed', 'expired')) = (response is not null)
      and (response is null) = (finished_at is null)
      and (response is not null or num_nonnulls(ledger, fee_charged) = 0)),
    constraint success_has_a_ledger check (state <> 'succeeded' or ledger is not null),
    constraint only_a_failure_has_a_cause check (failure_code is null or state = 'failed')
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  sql`create unique index one_unfinished_settlement_per_channel
    on settlements (network, channel) where state = 'submitted' and not awaits_authorization`,
  // Time first: led by the network they would tempt the planner away from the index above, which
  // the claim needs, as long as there are no statistics.
  sql`create index unfinished_settlements
    on settlements (claimed_at, id) where state in ('claimed', 'submitted')`,
  // Payer first: led by the network it would tempt the planner away from the index of a channel's
  // unfinished settlement, which the claim needs, as long as there are no statistics.
  sql`create index unfinished_settlements_by_payer
    on settlements (payer, asset) where state in ('claimed', 'submitted')`,
  sql`create index failed_settlements_by_payer on settlements (payer, finished_at)
    where failure_code is not null`,
  sql`create index settlements_due on settlements (due_at, network)
    where state = 'submitted'`,
  sql`create index settlements_by_claim_time on settlements (claimed_at)`,
  // For the statements of the callers with a key.
  sql`create index settlements_by_caller on settlements (caller, finished_at, id)
    where state = 'succeeded' and caller <> 'public'`,
  sql`create function refuse_to_rewrite_a_settlement() returns trigger language plpgsql as $$
    begin
      raise exception 'settlement % is recorded: its envelope and its outcome never change', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'recorded_rows_never_change';
    end $$`,
  // A recorded row may become refused, as the next attempt. A refused row is claimed as a later attempt, or
  // succeeds when the ledger has one of its envelopes after all.
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
]
