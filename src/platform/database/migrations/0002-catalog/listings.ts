import { sql } from 'kysely'

/**
 * Listings with their options, versions and claims. Texts of sellers are `json` or `text`, never `jsonb`: that refuses NUL and lone
 * surrogates, and a seller's text must not make a payment's statement fail.
 */
export const listings = [
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
    domain text not null default '',
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
    service_name text,
    bytes integer not null default 0,
    left_out text check (left_out in ('hidden', 'unpaid', 'full')),
    extensions text[] not null,
    revision bigint not null,
    last_outcome json not null,
    check_due_at timestamptz,
    check_requested_at timestamptz,
    check_tries integer not null default 0,
    check_retry_at timestamptz,
    check_has_refused boolean not null default false,
    paid_path text,
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
  // For the search of the explorer: holds only listings whose name it shows.
  sql`create index listings_by_service_name on listings (service_name, id)
    where service_name is not null and state = 'published' and left_out is null and kind = 'http'`,
  // When a check of an origin was taken last of a domain, and of an owner on it (owner is empty for the domain): the one whose turn
  // is longest ago comes first.
  sql`create table check_turns (
    domain text not null,
    owner text not null,
    taken_at timestamptz not null,
    primary key (domain, owner)
  )`,
  // Listings, by their ids, and payees, by their accounts, that an administrator has hidden.
  sql`create table hidden_listings (
    subject text primary key,
    at timestamptz not null default now()
  )`,
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
  sql`create index listing_options_by_asset on listing_options (asset, network)`,
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
  // Declarations of later settlements that the origin has not confirmed, to the owner and to other payees: the latest of
  // each payer, who alone could write it. `asked_at`: when the origin was asked with it last; null: not yet. `due_at`: when it is
  // asked with it next; null: not again.
  sql`create table listing_claims (
    listing_id uuid not null references listings (id) on delete cascade,
    payer text not null,
    pay_to text not null,
    transaction text not null,
    settled_at timestamptz not null,
    asked_at timestamptz,
    due_at timestamptz default now(),
    tries integer not null default 0,
    content json not null,
    paid_path text,
    primary key (listing_id, payer)
  )`,
]
