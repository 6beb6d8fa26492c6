import { sql } from 'kysely'
import { windowAmounts, windowCounters } from './window-columns.ts'

/**
 * Payments that were observed on the ledger.
 *
 * `position` orders payments: the ledger's close time in seconds times 2^32, plus the first 32 bits of the transaction's
 * hash. One number thus stands for (close time, hash), so that every index stays narrow; equal ones are told apart by hash.
 *
 * A kind is what many payments share: network, epoch, scheme, confidence, facilitator and asset. There are few
 * kinds, so every filter on these becomes a few kinds, and a page of any filters is a merge of a few index ranges.
 */
export const payments = [
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
    failures integer not null default 0,
    unique (network, contract)
  )`,
  sql`create table explorer_kinds (
    id integer generated always as identity primary key,
    network text not null,
    epoch integer not null references explorer_epochs (id),
    scheme text not null,
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
]
