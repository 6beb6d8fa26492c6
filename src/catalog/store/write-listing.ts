import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Database } from '../../platform/database/schema.ts'
import { databaseNow } from '../../platform/database/sql-time.ts'
import { type LockedListing, lockListing } from './listings.ts'
import type { ListingKind, ListingState, Trust, VersionCause } from './tables.ts'

/** The parts of the catalog's `ListingContent` that have columns of their own; the rest is stored as its JSON. */
interface ContentToWrite {
  readonly resource: string
  readonly kind: ListingKind
  readonly method?: string
  readonly toolName?: string
  readonly serviceName?: string
  readonly extensions: readonly string[]
  readonly accepts: readonly {
    readonly scheme: string
    readonly network: NetworkId
    readonly asset: string
    readonly payTo: string
    /** Base units, decimal. */
    readonly amount: string
  }[]
}

/** `ListingOutcome` of the catalog. */
export interface OutcomeToWrite {
  readonly phase: 'settle' | 'origin'
  readonly status: 'success' | 'processing' | 'rejected'
  readonly code: string
  readonly reason?: string
  /** ISO 8601. */
  readonly at: string
}

export interface NewListing {
  readonly network: NetworkId
  /** The result of the catalog's `itemKeyOf`. */
  readonly itemKey: string
  /** Lower case, without a port; empty for a resource that has none. */
  readonly host: string
  /** The registered domain of the host. */
  readonly domain: string
  /** The payee of the payment; muxed perhaps. */
  readonly owner: string
  /** The `G...` account of a muxed owner; otherwise the same. */
  readonly ownerAccount: string
  readonly content: ContentToWrite
  /** `pending`: a check of its origin is due at once. */
  readonly state: 'pending' | 'published'
  /** The payment that it comes from. */
  readonly transaction: string
  readonly settledAt: Date
  /** The path that was paid for, if the origin can be asked with it. */
  readonly paidPath?: string | undefined
  readonly outcome: OutcomeToWrite
}

/**
 * Inserts a listing with version 1, of cause `settlement` and trust `settled`. Undefined when the resource has a
 * listing on the network already: another transaction may have inserted it meanwhile.
 */
export async function insertListing(
  transaction: Transaction<Database>,
  listing: NewListing,
): Promise<LockedListing | undefined> {
  const { network, itemKey, host, domain, owner, content, state, settledAt } = listing
  const json = JSON.stringify(content)
  const isPublished = state === 'published'
  // Taken only for a resource that is likely new: the lock of the revision orders all changes of the catalog.
  const revision = await nextRevision(transaction)
  const inserted = await transaction
    .insertInto('listings')
    .values({
      id: randomUUID(),
      item_key: itemKey,
      network,
      kind: content.kind,
      resource: content.resource,
      method: content.method ?? null,
      tool_name: content.toolName ?? null,
      host,
      domain,
      owner,
      state,
      trust: 'settled',
      version: 1,
      settlements: 1n,
      first_cataloged_at: databaseNow,
      first_published_at: isPublished ? databaseNow : null,
      last_settled_at: settledAt,
      updated_at: databaseNow,
      content: json,
      service_name: content.serviceName ?? null,
      bytes: Buffer.byteLength(json),
      extensions: [...content.extensions],
      revision,
      last_outcome: JSON.stringify(listing.outcome),
      check_due_at: isPublished ? null : databaseNow,
      check_requested_at: isPublished ? null : databaseNow,
      check_tries: 0,
      paid_path: listing.paidPath ?? null,
    })
    .onConflict((conflict) => conflict.columns(['network', 'item_key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) return undefined
  const { id } = inserted
  await insertVersion(transaction, {
    id,
    version: 1,
    cause: 'settlement',
    transaction: listing.transaction,
    owner,
    trust: 'settled',
    state,
    content,
  })
  await insertOptions(transaction, id, listing.ownerAccount, content)
  return lockListing(transaction, id)
}

export interface ListingChange {
  readonly cause: VersionCause
  /** The payment that led to it. */
  readonly transaction?: string
  readonly state?: ListingState
  readonly trust?: Trust
  /** The payee of the payment; muxed perhaps. The options of `content` must lead to it. */
  readonly owner?: string
  /** The `G...` account of a muxed owner, the new one if it changes; otherwise the same. */
  readonly ownerAccount: string
  /** New content of the same resource. Absent: it stays. */
  readonly content?: ContentToWrite
  /** Absent: the last outcome stays. */
  readonly outcome?: OutcomeToWrite
}

/**
 * Writes the next version of a listing that the transaction has locked: its row, its history without what is too old, and its options;
 * returns the version. Everything that readers of the catalog see goes through here, except settlement counts and
 * facts. Sets `first_published_at` when it is published for the first time. Leaves the columns of checks alone.
 *
 * Call it late: from here on until its end, the transaction holds up every other change of the catalog.
 */
export async function changeListing(
  transaction: Transaction<Database>,
  listing: LockedListing,
  change: ListingChange,
): Promise<number> {
  const { id } = listing
  const { cause, content, outcome } = change
  const { owner = listing.owner, state = listing.state, trust = listing.trust } = change
  const version = listing.version + 1
  await insertVersion(transaction, {
    id,
    version,
    cause,
    transaction: change.transaction,
    owner,
    trust,
    state,
    content: content ?? listing.content,
  })
  await deleteOldVersions(transaction, id)
  if (content) {
    await transaction.deleteFrom('listing_options').where('listing_id', '=', id).execute()
    await insertOptions(transaction, id, change.ownerAccount, content)
  }
  const revision = await nextRevision(transaction)
  const json = content && JSON.stringify(content)
  await transaction
    .updateTable('listings')
    .set({
      version,
      owner,
      state,
      trust,
      revision,
      updated_at: databaseNow,
      ...(state === 'published' && {
        first_published_at: sql<Date>`coalesce(first_published_at, ${databaseNow})`,
      }),
      ...(content && {
        content: json,
        service_name: content.serviceName ?? null,
        bytes: Buffer.byteLength(json ?? ''),
        extensions: [...content.extensions],
      }),
      ...(outcome && { last_outcome: JSON.stringify(outcome) }),
    })
    .where('id', '=', id)
    .execute()
  return version
}

/** Sets the last outcome of a listing that otherwise stays as it is. */
export async function setLastOutcome(
  transaction: Transaction<Database>,
  id: string,
  outcome: OutcomeToWrite,
): Promise<void> {
  await transaction
    .updateTable('listings')
    .set({ last_outcome: JSON.stringify(outcome) })
    .where('id', '=', id)
    .execute()
}

/** Revisions become visible in their order, since the transaction keeps the lock of the counter until it ends. */
export async function nextRevision(transaction: Transaction<Database>): Promise<bigint> {
  const { rows } = await sql<{
    revision: bigint
  }>`select next_catalog_revision() as revision`.execute(transaction)
  const [row] = rows
  if (!row) throw new Error('the catalog has no revision')
  return row.revision
}

interface Version {
  readonly id: string
  readonly version: number
  readonly cause: VersionCause
  readonly transaction: string | undefined
  readonly owner: string
  readonly trust: Trust
  readonly state: ListingState
  readonly content: unknown
}

async function insertVersion(
  transaction: Transaction<Database>,
  { id, content, transaction: hash, ...version }: Version,
): Promise<void> {
  await transaction
    .insertInto('listing_versions')
    .values({
      ...version,
      listing_id: id,
      created_at: databaseNow,
      transaction: hash ?? null,
      content: JSON.stringify(content),
    })
    .execute()
}

/** Bound the newest versions: a seller can make one each minute with a payment to itself, of up to 64 KiB, and nothing else deletes them. */
const KEPT_VERSIONS = 20
const KEPT_BYTES = 262_144

/** Keeps the first version of a listing and the newest ones, as many as the bounds allow. */
async function deleteOldVersions(transaction: Transaction<Database>, id: string): Promise<void> {
  await sql`delete from listing_versions old using (
      select version, row_number() over newest as place,
        sum(octet_length(content::text)) over newest as bytes
      from listing_versions where listing_id = ${id} and version > 1
      window newest as (order by version desc)) sized
    where old.listing_id = ${id} and old.version = sized.version
      and place > 1 and (place > ${KEPT_VERSIONS} or bytes > ${KEPT_BYTES})`.execute(transaction)
}

async function insertOptions(
  transaction: Transaction<Database>,
  listingId: string,
  ownerAccount: string,
  { accepts }: ContentToWrite,
): Promise<void> {
  if (accepts.length === 0) return
  await transaction
    .insertInto('listing_options')
    .values(
      accepts.map(({ network, scheme, asset, payTo, amount }, place) => ({
        listing_id: listingId,
        place,
        network,
        scheme,
        asset,
        pay_to: payTo,
        pay_to_account: ownerAccount,
        amount: BigInt(amount),
      })),
    )
    .execute()
}
