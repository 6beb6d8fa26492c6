import { sql } from 'kysely'
import { windowAmounts, windowCounters } from './window-columns.ts'

/**
 * Figures over the payments. Windows are trailing, and begin at a full hour. Counters of a window are kept in the rows; the process
 * that ingests adds what comes, and takes off what leaves each hour. Times in whole seconds or hours since the Unix epoch.
 */
export const figures = [
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
  // Sellers in a catalog are few among all that were paid.
  ...['', '_24h', '_7d', '_30d'].map(
    (
      window,
    ) => sql`create index ${sql.raw(`explorer_sellers_registered${window}`)} on explorer_sellers
      (network, ${sql.raw(`payments${window}`)} desc, registered desc, address) where registered`,
  ),
  // For the search by name: holds only sellers that have one.
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
  // Only hours within the longest window: when an hour leaves a window, its numbers here are subtracted from the totals.
  // The seller first, since a time series reads all hours of one.
  sql`create table explorer_seller_hours (
    hour integer not null,
    seller integer not null,
    kind integer not null,
    payments bigint not null,
    amount numeric not null,
    primary key (seller, hour, kind)
  ) with (fillfactor = 70)`,
  sql`create index explorer_seller_hours_by_hour on explorer_seller_hours (hour)`,
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
  // Totals of the hours above: of all, and of each window.
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
]
