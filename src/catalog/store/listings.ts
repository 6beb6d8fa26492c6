import { type Selectable, sql, type Transaction } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Database } from '../../platform/database/schema.ts'
import { databaseNow } from '../../platform/database/sql-time.ts'
import type { CatalogTables, ListingKind, ListingState, Trust } from './tables.ts'

/** A listing whose row the transaction has locked. */
export interface LockedListing {
  readonly id: string
  readonly itemKey: string
  readonly network: NetworkId
  readonly kind: ListingKind
  readonly resource: string
  readonly host: string
  readonly owner: string
  readonly state: ListingState
  readonly trust: Trust
  readonly version: number
  readonly checkTries: number
  /** `ListingContent` of the catalog. */
  readonly content: unknown
}

/** Locks a listing until the transaction ends; waits for transactions that have it locked. */
export async function lockListing(
  transaction: Transaction<Database>,
  id: string,
): Promise<LockedListing | undefined> {
  const row = await transaction
    .selectFrom('listings')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && toLocked(row)
}

/** The same for the listing of a resource on a network. */
export async function lockListingOf(
  transaction: Transaction<Database>,
  network: NetworkId,
  itemKey: string,
): Promise<LockedListing | undefined> {
  const row = await transaction
    .selectFrom('listings')
    .selectAll()
    .where('network', '=', network)
    .where('item_key', '=', itemKey)
    .forUpdate()
    .executeTakeFirst()
  return row && toLocked(row)
}

const toLocked = (row: Selectable<CatalogTables['listings']>): LockedListing => ({
  id: row.id,
  itemKey: row.item_key,
  network: row.network,
  kind: row.kind,
  resource: row.resource,
  host: row.host,
  owner: row.owner,
  state: row.state,
  trust: row.trust,
  version: row.version,
  checkTries: row.check_tries,
  content: row.content,
})

/**
 * Counts a settlement of the listing. Its version and its revision stay.
 *
 * @param paidPath the path that was paid for, if the origin can be asked with it
 */
export async function countSettlement(
  transaction: Transaction<Database>,
  id: string,
  settledAt: Date,
  paidPath?: string,
): Promise<void> {
  await transaction
    .updateTable('listings')
    .set({
      settlements: sql<bigint>`settlements + 1`,
      last_settled_at: sql<Date>`greatest(last_settled_at, ${settledAt}::timestamptz)`,
      ...(paidPath !== undefined && { paid_path: paidPath }),
    })
    .where('id', '=', id)
    .execute()
}

/** Settlements get a listing's origin checked at most this often: anyone can settle often, at little cost. */
const CHECK_REQUESTED_AT_MOST_EVERY = sql`interval '1 minute'`
const nextRequestAt = sql<Date>`greatest(${databaseNow}, check_requested_at + ${CHECK_REQUESTED_AT_MOST_EVERY})`

/**
 * Makes a check of the listing's origin due: at once, or a minute after the last one that was requested. A check
 * that is due earlier stays so, and `check_retry_at` stays. A quarantined listing gets all its tries again. The end of a check
 * must keep a `check_due_at` that changed since the check began.
 *
 * @returns when it is due
 */
export async function requestCheck(
  transaction: Transaction<Database>,
  id: string,
): Promise<Date | undefined> {
  const due = nextRequestAt
  const listing = await transaction
    .updateTable('listings')
    .set({
      check_due_at: sql<Date>`least(check_due_at, ${due})`,
      check_requested_at: sql<Date>`case when check_due_at <= ${due} then check_requested_at else ${due} end`,
      check_tries: sql<number>`case when state = 'quarantined' then 0 else check_tries end`,
    })
    .where('id', '=', id)
    .returning('check_due_at')
    .executeTakeFirst()
  return listing?.check_due_at ?? undefined
}

/** Makes a check due for the listing's next claim, if one is still to be asked with, as often as settlements may ask. */
export async function requestCheckOfClaims(
  transaction: Transaction<Database>,
  id: string,
): Promise<void> {
  const due = nextRequestAt
  // A claim that is due later takes no request: a settlement may still ask for a check before it.
  await sql`update listings set
      check_due_at = least(check_due_at, greatest(${due}, claim.due_at)),
      check_requested_at = case when claim.due_at > ${due} or check_due_at <= ${due} then check_requested_at else ${due} end
    from (select min(due_at) as due_at from listing_claims where listing_id = ${id}) claim
    where id = ${id} and claim.due_at is not null`.execute(transaction)
}
