import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The explorer: payments that were observed on the ledger, and the figures over them.
 *
 * `position` orders payments: the ledger's close time in seconds times 2^32, plus the first 32 bits of the transaction's
 * hash. One number thus stands for (close time, hash), so that every index stays narrow; equal ones are told apart by hash.
 *
 * A kind is what many payments share: network, epoch, scheme, confidence, facilitator and asset. There are few
 * kinds, so every filter on these becomes a few kinds, and a page of any filters is a merge of a few index ranges.
 *
 * Windows are trailing, and begin at a full hour. Counters of a window are kept in the rows; the process that ingests
 * adds what comes, and takes off what leaves each hour. Times in whole seconds or hours since the Unix epoch.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const windowCounters = sql`
    payments bigint not null default 0,
    payments_24h bigint not null default 0,
    payments_7d bigint not null default 0,
    payments_30d bigint not null default 0`

const windowAmounts = sql`
    amount numeric not null default 0,
    amount_24h numeric not null default 0,
    amount_7d numeric not null default 0,
    amount_30d numeric not null default 0`

const statements = [
  sql`create table explorer_addresses (
    id integer generated always as identity primary key,
    address text not null unique
  )`,
  // A network's history from one reset to the next.
  sql`create table explorer_epochs (
    id smallint generated always as identity primary key,
    network text not null,
    started_at timestamptz not null,
    unique (network, started_at)
  )`,
  sql`create table explorer_assets (
    id integer generated always as identity primary key,
    network text not null,
    contract text not null,
    code text,
    issuer text,
    decimals smallint,
    checked_at timestamptz,
    due_at timestamptz not null default now(),
    unique (network, contract)
  )`,
  sql`create table explorer_facilitators (
    id text primary key,
    base_url text unique,
    display_name text,
    source text not null check (source in ('own', 'configured', 'announced')),
    verified boolean not null default false,
    networks text[] not null default '{}',
    upto_contracts text[] not null default '{}',
    last_seen_at timestamptz,
    last_error text,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    lease_until timestamptz,
    catalog_due_at timestamptz not null default now()
  )`,
  // The first facilitator that names a signer keeps it.
  sql`create table explorer_signers (
    network text not null,
    address text not null,
    facilitator text not null references explorer_facilitators (id) on delete cascade,
    claimed_at timestamptz not null default now(),
    primary key (network, address)
  )`,
  // The one rule of attribution: whose signers are known, and what that says of a payment.
  sql`create view explorer_submitters as
    select signer.network, signer.address, signer.facilitator,
      case when source = 'own' then 'svc' else 'verified-facilitator' end as confidence
    from explorer_signers signer join explorer_facilitators on id = facilitator
    where source = 'own' or verified`,
  // Signers that were added, removed or changed: payments that they submitted may be of another kind now. Those are
  // looked at by one source after the other, newest first, down from a position.
  sql`create table explorer_moves (
    network text not null,
    address text not null,
    source text not null default 'tx_source' check (source in ('tx_source', 'fee_source')),
    below_position bigint,
    primary key (network, address)
  )`,
  sql`create function queue_explorer_move(of_network text, of_address text) returns void language sql as $$
    insert into explorer_moves (network, address) values (of_network, of_address)
    on conflict (network, address) do update set source = 'tx_source', below_position = null
  $$`,
  sql`create function queue_explorer_moves_of_signer() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then perform queue_explorer_move(old.network, old.address); end if;
      if tg_op <> 'DELETE' then perform queue_explorer_move(new.network, new.address); end if;
      return null;
    end $$`,
  sql`create trigger explorer_signers_move_payments after insert or delete on explorer_signers
    for each row execute function queue_explorer_moves_of_signer()`,
  sql`create trigger explorer_signers_changed_move_payments after update on explorer_signers
    for each row when ((old.network, old.address, old.facilitator)
      is distinct from (new.network, new.address, new.facilitator))
    execute function queue_explorer_moves_of_signer()`,
  // A deleted facilitator deletes its signers.
  sql`create function queue_explorer_moves_of_facilitator() returns trigger language plpgsql as $$
    begin
      perform queue_explorer_move(network, address) from explorer_signers
        where facilitator = new.id order by network, address;
      return null;
    end $$`,
  sql`create trigger explorer_facilitators_move_payments after update on explorer_facilitators
    for each row when ((old.source, old.verified) is distinct from (new.source, new.verified))
    execute function queue_explorer_moves_of_facilitator()`,
  sql`create table explorer_kinds (
    id integer generated always as identity primary key,
    network text not null,
    epoch integer not null references explorer_epochs (id),
    scheme text not null check (scheme in ('exact', 'upto')),
    confidence text not null check (confidence in ('svc', 'verified-facilitator', 'x402-shaped')),
    facilitator text,
    asset integer not null references explorer_assets (id),
    ${windowCounters},
    ${windowAmounts},
    first_at bigint,
    last_at bigint,
    unique nulls not distinct (epoch, scheme, confidence, facilitator, asset)
  ) with (fillfactor = 70)`,
  sql`create table explorer_payments (
    position bigint not null,
    tx_hash bytea not null,
    op_index smallint not null default 0,
    kind integer not null,
    seller integer not null,
    buyer integer not null,
    ledger integer not null,
    amount numeric(39, 0) not null,
    ceiling numeric(39, 0),
    tx_source integer not null,
    fee_source integer,
    fee_charged bigint not null,
    sig_expiration integer,
    memo text,
    muxed_id numeric(20, 0),
    primary key (position, tx_hash, op_index)
  ) partition by range (position)`,
  sql`create index explorer_payments_by_kind on explorer_payments (kind, position desc)`,
  sql`create index explorer_payments_by_seller on explorer_payments (seller, kind, position desc)`,
  sql`create index explorer_payments_by_buyer on explorer_payments (buyer, kind, position desc)`,
  sql`create index explorer_payments_by_pair on explorer_payments (buyer, seller, kind, position desc)`,
  sql`create index explorer_payments_by_tx_source on explorer_payments (tx_source, position desc)`,
  sql`create index explorer_payments_by_fee_source on explorer_payments (fee_source, position desc)
    where fee_source is not null`,
  sql`create index explorer_payments_by_hash on explorer_payments using hash (tx_hash)`,
  // One row for each network and each address that was paid or is registered in a catalog.
  sql`create table explorer_sellers (
    network text not null,
    seller integer not null references explorer_addresses (id),
    address text not null,
    registered boolean not null default false,
    service_name text,
    resource text,
    description text,
    ${windowCounters},
    buyers integer not null default 0,
    buyers_24h integer not null default 0,
    buyers_7d integer not null default 0,
    buyers_30d integer not null default 0,
    self_payments bigint not null default 0,
    top_buyer integer,
    top_buyer_payments bigint not null default 0,
    first_at bigint,
    last_at bigint,
    primary key (network, seller)
  ) with (fillfactor = 70)`,
  ...['', '_24h', '_7d', '_30d'].map(
    (window) => sql`create index ${sql.raw(`explorer_sellers_by_rank${window}`)} on explorer_sellers
      (network, ${sql.raw(`payments${window}`)} desc, registered desc, address)`,
  ),
  // Those in a catalog are few among all that were paid.
  ...['', '_24h', '_7d', '_30d'].map(
    (
      window,
    ) => sql`create index ${sql.raw(`explorer_sellers_registered${window}`)} on explorer_sellers
      (network, ${sql.raw(`payments${window}`)} desc, registered desc, address) where registered`,
  ),
  // What the search for a name reads: those that have one.
  sql`create index explorer_sellers_by_name on explorer_sellers (payments desc, service_name)
    where service_name is not null`,
  sql`create table explorer_seller_kinds (
    seller integer not null,
    kind integer not null,
    ${windowCounters},
    ${windowAmounts},
    first_at bigint,
    last_at bigint,
    primary key (seller, kind)
  ) with (fillfactor = 70)`,
  sql`create table explorer_buyers (
    network text not null,
    buyer integer not null,
    payments bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (network, buyer)
  ) with (fillfactor = 70)`,
  sql`create table explorer_buyer_kinds (
    buyer integer not null,
    kind integer not null,
    payments bigint not null,
    primary key (buyer, kind)
  ) with (fillfactor = 70)`,
  sql`create table explorer_pairs (
    network text not null,
    seller integer not null,
    buyer integer not null,
    payments bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (seller, buyer, network)
  ) with (fillfactor = 70)`,
  sql`create table explorer_kind_hours (
    hour integer not null,
    kind integer not null,
    payments bigint not null,
    amount numeric not null,
    primary key (hour, kind)
  ) with (fillfactor = 70)`,
  sql`create table explorer_kind_days (
    day integer not null,
    kind integer not null,
    payments bigint not null,
    amount numeric not null,
    primary key (day, kind)
  ) with (fillfactor = 70)`,
  // Of the hours within the longest window only: what leaves a window is taken off from here.
  sql`create table explorer_seller_hours (
    hour integer not null,
    seller integer not null,
    kind integer not null,
    payments bigint not null,
    amount numeric not null,
    primary key (hour, seller, kind)
  ) with (fillfactor = 70)`,
  // How many buyers of a seller paid it last in this hour; within the longest window only.
  sql`create table explorer_seller_buyer_hours (
    hour integer not null,
    network text not null,
    seller integer not null,
    buyers integer not null,
    primary key (hour, network, seller)
  ) with (fillfactor = 70)`,
  // How many addresses of a network paid, or were paid, first or last in this hour.
  sql`create table explorer_address_hours (
    network text not null,
    measure text not null check (measure in ('buyers_first', 'buyers_last', 'sellers_first', 'sellers_last')),
    hour integer not null,
    addresses integer not null,
    primary key (network, measure, hour)
  ) with (fillfactor = 70)`,
  // Of those hours, all together and those of each window.
  sql`create table explorer_address_counts (
    network text not null,
    measure text not null check (measure in ('buyers_first', 'buyers_last', 'sellers_first', 'sellers_last')),
    addresses integer not null default 0,
    addresses_24h integer not null default 0,
    addresses_7d integer not null default 0,
    addresses_30d integer not null default 0,
    primary key (network, measure)
  ) with (fillfactor = 70)`,
  // From which hour on the counters of each window count, and from which second on payments were not dropped by
  // retention: one row. Who writes payments or figures locks it first.
  sql`create table explorer_windows (
    only_row boolean primary key default true check (only_row),
    from_24h integer not null,
    from_7d integer not null,
    from_30d integer not null,
    dropped_before bigint not null default 0
  )`,
  // Which process ingests. Each write of an ingesting process checks that the term is still its own.
  sql`create table explorer_lease (
    only_row boolean primary key default true check (only_row),
    holder text not null,
    term bigint not null,
    expires_at timestamptz not null
  )`,
  sql`create table explorer_progress (
    network text primary key,
    epoch integer not null references explorer_epochs (id),
    last_ledger integer not null,
    last_closed_at bigint not null,
    high_water integer not null,
    head_ledger integer not null,
    last_poll_at timestamptz,
    consecutive_failures integer not null default 0,
    last_error text
  )`,
  // Older ledgers that are still to be read, oldest first; a finished one is deleted.
  sql`create table explorer_backfills (
    network text not null,
    epoch integer not null references explorer_epochs (id),
    next_ledger integer not null,
    target_ledger integer not null,
    primary key (network, epoch, target_ledger)
  )`,
  // Ledgers that no endpoint retained any more when their turn came.
  sql`create table explorer_gaps (
    network text not null,
    epoch integer not null references explorer_epochs (id),
    from_ledger integer not null,
    through_ledger integer not null,
    found_at timestamptz not null default now(),
    primary key (network, epoch, from_ledger)
  )`,
  // What catalogs say of the addresses that sellers name in them.
  sql`create table explorer_registrations (
    source text not null,
    network text not null,
    pay_to text not null,
    service_name text,
    resource text not null,
    description text,
    seen_at timestamptz not null default now(),
    primary key (source, network, pay_to)
  )`,
  sql`create index explorer_registrations_by_seller on explorer_registrations (network, pay_to)`,
]

export const explorer: Migration = { up }
