/**
 * The facts on the ledger about the assets and the payees of listings. Catalog processes share the reading by leases. A
 * result is written without a fence: two processes that read the same entry twice write the same.
 */
import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../platform/database/sql-time.ts'

export interface AssetKey {
  readonly network: NetworkId
  readonly asset: string
}

export interface PayeeKey extends AssetKey {
  /** The payee in the listing's option; muxed perhaps. */
  readonly payTo: string
}

/** Null: the contract does not say. */
export interface AssetFacts {
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
}

export interface DueAsset extends AssetKey {
  readonly isPaid: boolean
  /** How often in a row the contract did not say all that was asked. */
  readonly failures: number
}

export interface DueFacts {
  readonly networks: readonly NetworkId[]
  /** Takes at most this many. */
  readonly limit: number
  /** No other process takes them for this long. */
  readonly leaseMs: number
}

/**
 * Makes facts of the options due that listings gained after a revision. Returns the revision to go on from.
 * @param since 0 for all listings
 */
export async function addMissingFacts(db: Db, since: bigint): Promise<bigint> {
  const { revision } = await db
    .selectFrom('catalog_revisions')
    .select('revision')
    .executeTakeFirstOrThrow()
  if (revision <= since) return since
  const options = sql`from listings join listing_options options on options.listing_id = listings.id
    where listings.revision > ${since}`
  await sql`insert into asset_facts (network, asset, due_at)
    select distinct options.network, options.asset, ${databaseNow} ${options}
    order by 1, 2 on conflict do nothing`.execute(db)
  await sql`insert into payee_facts (network, asset, pay_to, due_at)
    select distinct options.network, options.asset, options.pay_to, ${databaseNow} ${options}
    order by 1, 2, 3 on conflict do nothing`.execute(db)
  return revision
}

/** Notes that a payment was made in an asset. */
export async function notePaidAsset(db: Db, { network, asset }: AssetKey): Promise<void> {
  // Reads first: almost every payment is in one that is noted.
  await sql`insert into asset_facts (network, asset, due_at, is_paid)
    select ${network}, ${asset}, ${databaseNow}, true
    where not exists (
      select from asset_facts where (network, asset) = (${network}, ${asset}) and is_paid)
    on conflict (network, asset) do update set is_paid = true, due_at = excluded.due_at`.execute(db)
}

/**
 * Takes assets whose facts are due, most overdue first, and deletes those that no listing names any more. One in which a payment was
 * made stays: there are as many as the operator accepts.
 */
export async function takeDueAssets(
  db: Db,
  { networks, limit, leaseMs }: DueFacts,
): Promise<readonly DueAsset[]> {
  if (networks.length === 0) return []
  const { rows } = await sql<DueAsset & { isNamed: boolean }>`with due as (
      select network, asset from asset_facts where ${isDue(networks)}
      order by due_at limit ${limit} for update skip locked)
    update asset_facts facts set lease_until = ${databaseTimeIn(leaseMs)} from due
    where (facts.network, facts.asset) = (due.network, due.asset)
    returning facts.network, facts.asset, facts.is_paid as "isPaid", facts.failures,
      facts.is_paid or exists (select from listing_options options
        where (options.network, options.asset) = (facts.network, facts.asset)) as "isNamed"`.execute(
    db,
  )
  for (const { network, asset } of rows.filter(({ isNamed }) => !isNamed)) {
    await sql`delete from asset_facts where (network, asset) = (${network}, ${asset}) and not is_paid`.execute(
      db,
    )
  }
  return rows.filter(({ isNamed }) => isNamed)
}

/** Takes payees whose facts are due, most overdue first, and deletes those that no listing names any more. */
export async function takeDuePayees(
  db: Db,
  { networks, limit, leaseMs }: DueFacts,
): Promise<readonly PayeeKey[]> {
  if (networks.length === 0) return []
  const { rows } = await sql<PayeeKey & { isNamed: boolean }>`with due as (
      select network, asset, pay_to from payee_facts where ${isDue(networks)}
      order by due_at limit ${limit} for update skip locked)
    update payee_facts facts set lease_until = ${databaseTimeIn(leaseMs)} from due
    where (facts.network, facts.asset, facts.pay_to) = (due.network, due.asset, due.pay_to)
    returning facts.network, facts.asset, facts.pay_to as "payTo", exists (
      select from listing_options options where (options.network, options.asset, options.pay_to)
        = (facts.network, facts.asset, facts.pay_to)) as "isNamed"`.execute(db)
  for (const { network, asset, payTo } of rows.filter(({ isNamed }) => !isNamed)) {
    await db.deleteFrom('payee_facts').where(isPayee({ network, asset, payTo })).execute()
  }
  return rows.filter(({ isNamed }) => isNamed)
}

const isDue = (networks: readonly NetworkId[]): RawBuilder<boolean> =>
  sql<boolean>`due_at <= ${databaseNow} and (lease_until is null or lease_until <= ${databaseNow})
    and network in (${sql.join(networks)})`

/** Writes what was read, and when it is read again. Returns whether it differs from what was known. */
export async function saveAssetFacts(
  db: Db,
  { network, asset }: AssetKey,
  { symbol, name, decimals }: AssetFacts,
  { dueInMs, failures = 0 }: { readonly dueInMs: number; readonly failures?: number },
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`update asset_facts facts
    set symbol = ${symbol}, name = ${name}, decimals = ${decimals}, checked_at = ${databaseNow},
      due_at = ${databaseTimeIn(dueInMs)}, lease_until = null, failures = ${failures}
    from asset_facts before
    where (before.network, before.asset) = (facts.network, facts.asset)
      and (facts.network, facts.asset) = (${network}, ${asset})
    returning (before.symbol, before.name, before.decimals)
      is distinct from (facts.symbol, facts.name, facts.decimals) as changed`.execute(db)
  return rows[0]?.changed ?? false
}

/** The same for a payee. */
export async function savePayeeFacts(
  db: Db,
  { network, asset, payTo }: PayeeKey,
  receivable: boolean,
  dueInMs: number,
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`update payee_facts facts
    set receivable = ${receivable}, checked_at = ${databaseNow},
      due_at = ${databaseTimeIn(dueInMs)}, lease_until = null
    from payee_facts before
    where (before.network, before.asset, before.pay_to) = (facts.network, facts.asset, facts.pay_to)
      and (facts.network, facts.asset, facts.pay_to) = (${network}, ${asset}, ${payTo})
    returning before.receivable is distinct from facts.receivable as changed`.execute(db)
  return rows[0]?.changed ?? false
}

/** Gives an asset back whose facts could not be read, for another try later. */
export async function postponeAsset(
  db: Db,
  { network, asset }: AssetKey,
  { ms, failures }: { readonly ms: number; readonly failures: number },
): Promise<void> {
  await db
    .updateTable('asset_facts')
    .set({ due_at: databaseTimeIn(ms), lease_until: null, failures })
    .where('network', '=', network)
    .where('asset', '=', asset)
    .execute()
}

/** The same for a payee. */
export async function postponePayee(db: Db, payee: PayeeKey, ms: number): Promise<void> {
  await db
    .updateTable('payee_facts')
    .set({ due_at: databaseTimeIn(ms), lease_until: null })
    .where(isPayee(payee))
    .execute()
}

const isPayee = ({ network, asset, payTo }: PayeeKey): RawBuilder<boolean> =>
  sql<boolean>`(network, asset, pay_to) = (${network}, ${asset}, ${payTo})`
