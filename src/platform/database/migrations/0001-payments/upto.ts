import { sql } from 'kysely'

/**
 * The scheme `upto`: its settlement authorities, and the keepers of settlement contracts: for each contract one lease over all
 * replicas, what its holder last found and did, and the transactions that extend or restore the contract.
 *
 * A transaction is `reserved` before it is signed, and `submitted`, with its envelope, before it is sent. Triggers add
 * what it may cost, then what it did cost, to the sponsor's fees by the minute, so that the claims of payments and the
 * keepers check one hourly budget.
 */
export const upto = [
  // Own accounts, which processes without a seed recognise here. A row stays when its account is merged, as the row of a retired
  // channel does.
  sql`create table upto_authorities (
    network text not null,
    sponsor text not null,
    account text not null,
    primary key (network, account)
  )`,
  // Each write of a holder checks that the term is still its own. `due_at`: no round begins before. `failures`: of
  // transactions in a row.
  sql`create table upto_keepers (
    network text not null,
    contract text not null,
    holder text,
    term bigint not null default 0,
    lease_expires_at timestamptz not null default '-infinity',
    due_at timestamptz not null default '-infinity',
    checked_at timestamptz,
    plan text,
    error text,
    failures integer not null default 0,
    last_action text check (last_action in ('extend', 'restore')),
    last_transaction text,
    last_action_at timestamptz,
    primary key (network, contract)
  )`,
  sql`create table upto_keeper_transactions (
    id bigint generated always as identity primary key,
    network text not null,
    contract text not null,
    sponsor text not null,
    action text not null check (action in ('extend', 'restore', 'upload', 'create')),
    state text not null
      check (state in ('reserved', 'submitted', 'succeeded', 'failed', 'expired', 'released', 'unknown')),
    reserved_at timestamptz not null,
    fee_committed bigint not null,
    fee_charged bigint,
    tx_hash text unique,
    envelope_xdr text,
    max_time bigint,
    recorded_at_ledger bigint,
    ledger bigint,
    finished_at timestamptz,
    fee_counted bigint not null generated always as (
      case when state in ('reserved', 'submitted') then fee_committed else coalesce(fee_charged, 0) end) stored,
    check (state <> 'submitted'
      or num_nulls(tx_hash, envelope_xdr, max_time, recorded_at_ledger) = 0)
  )`,
  // One under way for each contract, whoever holds the lease.
  sql`create unique index upto_keeper_transactions_under_way on upto_keeper_transactions (network, contract)
    where state in ('reserved', 'submitted')`,
  sql`create index upto_keeper_transactions_by_sponsor on upto_keeper_transactions (network, sponsor, reserved_at)`,
  sql`create function total_keeper_fees() returns trigger language plpgsql as $$
    begin
      perform add_fees(new.network, new.sponsor, '', date_trunc('minute', new.reserved_at),
        new.fee_counted - case when tg_op = 'UPDATE' then old.fee_counted else 0 end);
      return null;
    end $$`,
  sql`create trigger new_keeper_fees_are_totalled after insert on upto_keeper_transactions
    for each row execute function total_keeper_fees()`,
  sql`create trigger changed_keeper_fees_are_totalled after update on upto_keeper_transactions
    for each row when (old.fee_counted is distinct from new.fee_counted) execute function total_keeper_fees()`,
]
