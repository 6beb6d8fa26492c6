import { sql } from 'kysely'

/**
 * A declaration is stored with the envelope of its payment. A trigger moves it to the outbox in the transaction
 * that ends the settlement, whichever statement or replica does that, so a crash loses none. Whatever is wrong with the
 * tables of the catalog, the settlement ends: then the declaration stays where it is, and `handOverLeft` moves it.
 */
export const declarations = [
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
  // Catalog outcomes of settlements, for repeats of their requests and for sellers who ask why they are not listed.
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
  sql`create index catalog_outcomes_by_listing on catalog_outcomes (listing_id, pay_to)`,
  sql`create index catalog_outcomes_by_listing_time on catalog_outcomes (listing_id, at)`,
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
    standing text not null default 'known' check (standing in ('proven', 'first', 'known')),
    domain text not null default '',
    at timestamptz not null
  )`,
  sql`create index catalog_new_listings_by_time on catalog_new_listings (at)`,
]
