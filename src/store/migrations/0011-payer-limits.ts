import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What one payer may have in progress: the amounts of its unfinished settlements of an asset may not exceed
 * its balance, for all replicas together. And the causes of failures on the ledger, of which those that are
 * the payer's fault pause it. A replica of an earlier version records no cause: its failures do not count.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  // Payer first: led by the network it would tempt the planner away from the index of a channel's
  // unfinished settlement, which the claim needs, as long as there are no statistics.
  sql`create index unfinished_settlements_by_payer
    on settlements (payer, asset) where state in ('claimed', 'submitted')`,
  sql`alter table settlements
    add column failure_code text,
    add constraint only_a_failure_has_a_cause check (failure_code is null or state = 'failed')`,
  sql`create index failed_settlements_by_payer on settlements (payer, finished_at)
    where failure_code is not null`,
  // An unresolvable settlement is of ledgers long past: its transaction is in the balance, or will never be.
  // Volatile, so that the sum is read after the lock is held; the lock ends with the transaction that
  // stores the claim. Null: the claim may go ahead. in_earlier: the amounts of the payer's earlier claims of
  // the same statement; a claim for which they make the difference is deferred to another statement.
  sql`create function refusal_by_funds(
      in_network text, in_payer text, in_nonce text, in_asset text, in_amount numeric,
      in_funds numeric, in_earlier numeric)
    returns text language plpgsql volatile as $$
    declare
      unfinished numeric;
    begin
      perform pg_advisory_xact_lock(
        hashtextextended(in_network || ' ' || in_payer || ' ' || in_asset, 403));
      select sum(amount) into unfinished from settlements
        where payer = in_payer and asset = in_asset and network = in_network
          and nonce <> in_nonce and state in ('claimed', 'submitted')
          and unresolvable_because is null;
      return case
        when in_funds is null and unfinished is not null then 'funds_unknown'
        when in_funds is null and in_earlier is not null then 'deferred'
        when coalesce(unfinished, 0) + in_amount > in_funds then 'over_funds'
        when coalesce(unfinished, 0) + in_earlier + in_amount > in_funds then 'deferred'
      end;
    end $$`,
]

export const payerLimits: Migration = { up }
