import { sql } from 'kysely'

/**
 * Facts that the catalog read from the ledger and from hosts, and the search indexes that its processes built.
 */
export const facts = [
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
    is_paid boolean not null default false,
    failures integer not null default 0,
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
  // Whether the stellar.toml of a host names an account as its own (SEP-1), and whether the account names the host's domain as its own.
  sql`create table domain_claims (
    host text not null,
    network text not null,
    owner text not null,
    claims_owner boolean,
    is_named_by_owner boolean not null default false,
    checked_at timestamptz,
    due_at timestamptz not null,
    lease_until timestamptz,
    primary key (host, network, owner)
  )`,
  // The last index that each searching process has built: facilitator pods report the newest.
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
