import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The catalog of paid resources. Texts of sellers are `json` or `text`, never `jsonb`: that refuses NUL and lone
 * surrogates, and a seller's text must not make a payment's statement fail.
 *
 * A declaration is stored with the envelope of its payment. A trigger moves it to the outbox in the transaction
 * that ends the settlement, whichever statement or replica does that, so a crash loses none. Whatever is wrong with the
 * tables of the catalog, the settlement ends: then the declaration stays where it is, and `handOverLeft` moves it.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table catalog_declarations (
    settlement_id bigint primary key references settlements (id) on delete cascade,
    attempt integer not null,
    body text not null
  )`,
  sql`create table catalog_outbox (
    settlement_id bigint primary key,
    network text not null,
    payer text not null,
    nonce text not null,
    pay_to text not null,
    scheme text not null,
    asset text not null,
    amount numeric not null,
    transaction text not null,
    settled_at timestamptz not null,
    body text not null,
    tries integer not null default 0,
    due_at timestamptz not null
  )`,
  sql`create index catalog_outbox_by_due_time on catalog_outbox (due_at)`,
  sql`create function hand_over_declarations() returns trigger language plpgsql set lock_timeout = '500ms' as $$
    begin
      perform from after where state in ('succeeded', 'failed', 'expired');
      if not found then return null; end if;
      insert into catalog_outbox (settlement_id, network, payer, nonce, pay_to, scheme, asset, amount,
          transaction, settled_at, body, due_at)
        select after.id, after.network, after.payer, after.nonce, after.pay_to, after.scheme,
            after.asset, after.amount, coalesce(after.response ->> 'transaction', after.tx_hash),
            after.finished_at, declared.body, clock_timestamp()
          from after join before using (id)
            join catalog_declarations declared on declared.settlement_id = after.id
          where after.state = 'succeeded' and before.state <> 'succeeded'
        on conflict (settlement_id) do nothing;
      delete from catalog_declarations using after
        where catalog_declarations.settlement_id = after.id
          and after.state in ('succeeded', 'failed', 'expired');
      return null;
    exception when others then
      raise warning 'declarations of settled payments are not handed over: %', sqlerrm;
      return null;
    end $$`,
  sql`create trigger declarations_reach_the_outbox after update on settlements
    referencing old table as before new table as after
    for each statement execute function hand_over_declarations()`,
  // One row: its lock orders the transactions that change the catalog, so that revisions become visible in order.
  sql`create table catalog_revisions (
    only_row boolean primary key default true check (only_row),
    revision bigint not null
  )`,
  sql`insert into catalog_revisions (revision) values (0)`,
  sql`create function next_catalog_revision() returns bigint language sql volatile as $$
    update catalog_revisions set revision = revision + 1 returning revision
  $$`,
  sql`create table listings (
    id uuid primary key,
    item_key text not null,
    network text not null,
    kind text not null check (kind in ('http', 'mcp')),
    resource text not null,
    method text check ((method is not null) = (kind = 'http')),
    tool_name text check ((tool_name is not null) = (kind = 'mcp')),
    host text not null,
    owner text not null,
    state text not null check (state in ('pending', 'published', 'quarantined')),
    trust text not null check (trust in ('settled', 'origin_verified', 'domain_verified')),
    version integer not null check (version > 0),
    settlements bigint not null check (settlements >= 0),
    first_cataloged_at timestamptz not null,
    first_published_at timestamptz check (state <> 'published' or first_published_at is not null),
    last_settled_at timestamptz not null,
    updated_at timestamptz not null,
    content json not null,
    extensions text[] not null,
    revision bigint not null,
    last_outcome json not null,
    check_due_at timestamptz,
    check_requested_at timestamptz,
    check_tries integer not null default 0,
    check_owner text,
    check_lease_until timestamptz,
    unique (network, item_key)
  ) with (fillfactor = 80)`,
  sql`create index listings_by_item on listings (item_key)`,
  sql`create index listings_by_first_publication on listings (first_published_at, item_key)
    where state = 'published'`,
  sql`create index listings_by_revision on listings (revision)`,
  sql`create index listings_by_resource on listings (md5(resource))`,
  sql`create index listings_by_due_check on listings (check_due_at) where check_due_at is not null`,
  sql`create index listings_by_owner on listings (owner, network)`,
  sql`create index listings_by_host on listings (host)`,
  // The options of the current version, for filters that must hold for one and the same option.
  sql`create table listing_options (
    listing_id uuid not null references listings (id) on delete cascade,
    place smallint not null,
    network text not null,
    scheme text not null,
    asset text not null,
    pay_to text not null,
    pay_to_account text not null,
    amount numeric not null,
    primary key (listing_id, place)
  )`,
  sql`create index listing_options_by_payee on listing_options (pay_to_account)`,
  sql`create table listing_versions (
    listing_id uuid not null references listings (id) on delete cascade,
    version integer not null,
    created_at timestamptz not null,
    cause text not null check (cause in ('settlement', 'origin_verification', 'ownership_transfer',
      'domain_verification', 'quarantine')),
    transaction text,
    owner text not null,
    trust text not null,
    state text not null,
    content json not null,
    primary key (listing_id, version)
  )`,
  sql`create function refuse_to_rewrite_history() returns trigger language plpgsql as $$
    begin
      raise exception 'the versions of a listing are append-only';
    end $$`,
  sql`create trigger versions_are_append_only before update on listing_versions for each row
    execute function refuse_to_rewrite_history()`,
  // What later settlements declared and the origin has not confirmed: its owner's news, and other payees' claims.
  sql`create table listing_claims (
    listing_id uuid not null references listings (id) on delete cascade,
    pay_to text not null,
    transaction text not null,
    settled_at timestamptz not null,
    content json not null,
    primary key (listing_id, pay_to)
  )`,
  // Of settlements, for repeats of their requests and for sellers who ask why they are not listed.
  sql`create table catalog_outcomes (
    settlement_id bigint primary key,
    network text not null,
    payer text not null,
    nonce text not null,
    pay_to text not null,
    transaction text not null,
    resource text,
    status text not null check (status in ('success', 'processing', 'rejected')),
    code text not null,
    reason text,
    listing_id uuid,
    version integer,
    dropped text[] not null,
    at timestamptz not null
  )`,
  sql`create index catalog_outcomes_by_payment on catalog_outcomes (network, payer, nonce)`,
  sql`create index catalog_outcomes_by_transaction on catalog_outcomes (transaction)`,
  sql`create index catalog_outcomes_by_resource on catalog_outcomes (md5(resource), at)`,
  sql`create index catalog_outcomes_by_listing on catalog_outcomes (listing_id, at)`,
  sql`create index catalog_outcomes_by_time on catalog_outcomes (at)`,
  // Outcomes of all replicas by minute, for the last hour of /health.
  sql`create table catalog_outcome_counts (
    minute timestamptz not null,
    phase text not null,
    status text not null,
    writer text not null,
    outcomes bigint not null,
    primary key (minute, phase, status, writer)
  )`,
  // New listings, for the quotas of an hour.
  sql`create table catalog_new_listings (
    listing_id uuid primary key,
    owner text not null,
    payer text not null,
    at timestamptz not null
  )`,
  sql`create index catalog_new_listings_by_time on catalog_new_listings (at)`,
  // Read from the ledger, and read again when due. A lease lets one catalog process read at a time.
  sql`create table asset_facts (
    network text not null,
    asset text not null,
    symbol text,
    name text,
    decimals integer,
    checked_at timestamptz,
    due_at timestamptz not null,
    lease_until timestamptz,
    primary key (network, asset)
  )`,
  sql`create table payee_facts (
    network text not null,
    asset text not null,
    pay_to text not null,
    receivable boolean,
    checked_at timestamptz,
    due_at timestamptz not null,
    lease_until timestamptz,
    primary key (network, asset, pay_to)
  )`,
  // Whether the stellar.toml of a host names an account as its own (SEP-1).
  sql`create table domain_claims (
    host text not null,
    network text not null,
    owner text not null,
    claims_owner boolean,
    checked_at timestamptz,
    due_at timestamptz not null,
    lease_until timestamptz,
    primary key (host, network, owner)
  )`,
  // What each process that searches has built last: facilitator pods report the newest.
  sql`create table search_builds (
    replica text primary key,
    revision bigint,
    result text not null check (result in ('ok', 'degraded', 'failed')),
    built_at timestamptz not null,
    listings integer not null,
    embedding_failures integer not null,
    p50_ms double precision,
    p95_ms double precision,
    seen_at timestamptz not null
  )`,
  sql`create table search_embeddings (
    model text not null,
    content_hash text not null,
    vector bytea not null,
    used_at timestamptz not null,
    primary key (model, content_hash)
  )`,
  sql`create table catalog_secrets (
    name text primary key,
    value text not null
  )`,
]

export const catalog: Migration = { up }
