import { sql } from 'kysely'

/**
 * How far the ledgers of each network were read, and what catalogs say of sellers.
 */
export const ingestion = [
  // Names the process that ingests. Each write of an ingesting process checks that the term is still its own.
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
  // Names, resources and descriptions from catalogs, of the addresses that sellers name in them.
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
