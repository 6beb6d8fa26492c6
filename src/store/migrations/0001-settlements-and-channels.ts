import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The constraints carry the invariants of a settlement, so that no code path can break them:
 * one row per authorization; a submitted row has all it takes to send the envelope again; a final
 * row has exactly one response and never changes; recorded bytes never change; a channel belongs
 * to at most one unfinished settlement.
 *
 * `response` is json, not jsonb: a repeat is answered with the members in the order first sent.
 */
async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table settlements (
    id bigint generated always as identity primary key,
    network text not null,
    payer text not null,
    nonce text not null,
    attempt integer not null check (attempt >= 1),
    state text not null,
    fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
    scheme text not null,
    asset text not null,
    pay_to text not null,
    amount numeric(39, 0) not null check (amount >= 0),
    resource_url text,
    sponsor text not null,
    owner text not null,
    claimed_at timestamptz not null,
    claim_expires_at timestamptz not null,
    channel text,
    envelope_xdr text,
    tx_hash text unique check (tx_hash ~ '^[0-9a-f]{64}$'),
    inner_hash text check (inner_hash ~ '^[0-9a-f]{64}$'),
    max_time bigint,
    recorded_at timestamptz,
    recorded_at_ledger bigint,
    ledger bigint,
    fee_charged bigint check (fee_charged >= 0),
    response json,
    finished_at timestamptz,
    constraint one_row_per_authorization unique (network, payer, nonce),
    constraint known_state check (state in
      ('claimed', 'submitted', 'succeeded', 'failed', 'expired', 'released', 'abandoned')),
    constraint recorded_rows_can_be_sent_again check (
      (state in ('claimed', 'released', 'abandoned')
        and num_nonnulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0)
      or (state in ('submitted', 'succeeded', 'failed', 'expired')
        and num_nulls(channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
          recorded_at_ledger) = 0)),
    constraint final_rows_have_one_response check (
      (state in ('succeeded', 'failed', 'expired')) = (response is not null)
      and (response is null) = (finished_at is null)
      and (response is not null or num_nonnulls(ledger, fee_charged) = 0)),
    constraint success_has_a_ledger check (state <> 'succeeded' or ledger is not null)
  )`,
  sql`create unique index one_unfinished_settlement_per_channel
    on settlements (network, channel) where state = 'submitted'`,
  // Time first: led by the network they would tempt the planner away from the index above, which
  // the claim needs, as long as there are no statistics.
  sql`create index unfinished_settlements
    on settlements (claimed_at, id) where state in ('claimed', 'submitted')`,
  sql`create index settlements_by_claim_time on settlements (claimed_at)`,
  sql`create function refuse_to_rewrite_a_settlement() returns trigger language plpgsql as $$
    begin
      raise exception 'settlement % is recorded: its envelope and its outcome never change', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'recorded_rows_never_change';
    end $$`,
  sql`create trigger recorded_rows_never_change before update on settlements for each row
    when (old.state in ('succeeded', 'failed', 'expired')
      or (old.state = 'submitted' and (new.state not in ('submitted', 'succeeded', 'failed', 'expired')
        or (old.network, old.payer, old.nonce, old.attempt, old.fingerprint, old.channel,
            old.envelope_xdr, old.tx_hash, old.max_time)
          is distinct from (new.network, new.payer, new.nonce, new.attempt, new.fingerprint,
            new.channel, new.envelope_xdr, new.tx_hash, new.max_time))))
    execute function refuse_to_rewrite_a_settlement()`,
  sql`create table channels (
    network text not null,
    sponsor text not null,
    index integer not null check (index >= 0),
    account text not null,
    state text not null default 'active' check (state in ('active', 'draining', 'retired')),
    sequence bigint,
    lease_owner text,
    lease_settlement bigint references settlements (id),
    lease_expires_at timestamptz,
    last_used_at timestamptz,
    primary key (network, sponsor, index),
    constraint one_row_per_channel_account unique (network, account),
    constraint a_lease_has_an_owner_and_an_end check (
      (lease_owner is null) = (lease_expires_at is null)
      and (lease_owner is not null or lease_settlement is null))
  )`,
  // Least recently used first: the claim walks it and stops at the first free channel.
  sql`create index channels_by_use
    on channels (network, sponsor, last_used_at nulls first, index) where state = 'active'`,
  sql`create index channels_by_lease on channels (lease_settlement)
    where lease_settlement is not null`,
]

export const settlementsAndChannels: Migration = { up }
