/** Stores which hosts name the owners of their listings as theirs (SEP-1), and the trust that this gives the listings. */
import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { inTransaction } from '../../platform/database/in-transaction.ts'
import type { Db } from '../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../platform/database/sql-time.ts'
import { lockListing } from './listings.ts'
import type { ListingKind, Trust } from './tables.ts'
import { changeListing, nextRevision } from './write-listing.ts'

export interface DomainKey {
  /** Lower case, without a port. */
  readonly host: string
  readonly network: NetworkId
  /** The owner in the listing; muxed perhaps. */
  readonly owner: string
}

/**
 * Makes the claims due of listings that were published, or got another owner, after a revision. Returns the revision
 * to go on from.
 * @param since 0 for all listings
 */
export async function addMissingDomains(db: Db, since: bigint): Promise<bigint> {
  const { revision } = await db
    .selectFrom('catalog_revisions')
    .select('revision')
    .executeTakeFirstOrThrow()
  if (revision <= since) return since
  await sql`insert into domain_claims (host, network, owner, due_at)
    select distinct host, network, owner, ${databaseNow} from listings
    where revision > ${since} and state = 'published' and host <> ''
    order by 1, 2, 3 on conflict do nothing`.execute(db)
  return revision
}

/** Takes claims that are due, most overdue first, and deletes those that no published listing needs any more. */
export async function takeDueDomains(
  db: Db,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly DomainKey[]> {
  const { rows } = await sql<DomainKey & { isNeeded: boolean }>`with due as (
      select host, network, owner from domain_claims
      where due_at <= ${databaseNow} and (lease_until is null or lease_until <= ${databaseNow})
      order by due_at limit ${limit} for update skip locked)
    update domain_claims claims set lease_until = ${databaseTimeIn(leaseMs)} from due
    where (claims.host, claims.network, claims.owner) = (due.host, due.network, due.owner)
    returning claims.host, claims.network, claims.owner, exists (select from listings
      where listings.host = claims.host and listings.network = claims.network
        and listings.owner = claims.owner and state = 'published') as "isNeeded"`.execute(db)
  for (const row of rows.filter(({ isNeeded }) => !isNeeded)) {
    await db.deleteFrom('domain_claims').where(isDomain(row)).execute()
  }
  return rows.filter(({ isNeeded }) => isNeeded)
}

/** The facts that were read for a claim. */
export interface ReadClaim {
  readonly claimsOwner: boolean
  /** Undefined: as it was read before. */
  readonly isNamedByOwner: boolean | undefined
}

/** Writes what the host's file says, and the ledger of the owner, and when it is read again. */
export const saveDomain = (
  db: Db,
  key: DomainKey,
  { claimsOwner, isNamedByOwner }: ReadClaim,
  dueInMs: number,
): Promise<void> =>
  inTransaction(db, async (transaction) => {
    const { rows } = await sql<{ isChanged: boolean }>`update domain_claims claims
      set claims_owner = ${claimsOwner}, checked_at = ${databaseNow}, due_at = ${databaseTimeIn(dueInMs)},
        lease_until = null, is_named_by_owner = coalesce(${isNamedByOwner ?? null}::boolean, claims.is_named_by_owner)
      from domain_claims before
      where (before.host, before.network, before.owner) = (claims.host, claims.network, claims.owner)
        and (claims.host, claims.network, claims.owner) = (${key.host}, ${key.network}, ${key.owner})
      returning before.is_named_by_owner <> claims.is_named_by_owner as "isChanged"`.execute(
      transaction,
    )
    if (!rows[0]?.isChanged) return
    // Readers of changes learn of it by the revision. First the listings, then the revision, as every transaction locks them.
    const listings = await transaction
      .selectFrom('listings')
      .select('id')
      .where(isDomain(key))
      .orderBy('id')
      .forUpdate()
      .execute()
    const ids = listings.map(({ id }) => id)
    if (ids.length === 0) return
    const revision = await nextRevision(transaction)
    await transaction.updateTable('listings').set({ revision }).where('id', 'in', ids).execute()
  })

/** The file could not be read: what it said last holds until `keptMs` after that, then the claim is lost. */
export async function postponeDomain(
  db: Db,
  key: DomainKey,
  { retryMs, keptMs }: { readonly retryMs: number; readonly keptMs: number },
): Promise<void> {
  await db
    .updateTable('domain_claims')
    .set({
      claims_owner: sql<boolean | null>`case when checked_at <= ${databaseTimeIn(-keptMs)}
        then false else claims_owner end`,
      due_at: databaseTimeIn(retryMs),
      lease_until: null,
    })
    .where(isDomain(key))
    .execute()
}

/** Published listings whose trust is not what their host's claim gives them. */
export interface TrustChange {
  readonly id: string
  readonly trust: Trust
}

/** Among the listings of these hosts, and those that changed after a revision. */
export async function listTrustChanges(
  db: Db,
  hosts: readonly string[],
  since: bigint,
): Promise<readonly TrustChange[]> {
  const { rows } = await sql<{ id: string; kind: ListingKind; claimed: boolean }>`
    select listings.id, listings.kind, coalesce(claims_owner, false) as claimed from listings
      join domain_claims claims using (host, network, owner)
    where (revision > ${since}${hosts.length > 0 ? sql` or host in (${sql.join(hosts)})` : sql``})
      and state = 'published'
      and coalesce(claims_owner, false) <> (trust = 'domain_verified')`.execute(db)
  return rows.map(({ id, kind, claimed }) => ({ id, trust: trustOf(kind, claimed) }))
}

function trustOf(kind: ListingKind, isClaimed: boolean): Trust {
  if (isClaimed) return 'domain_verified'
  return kind === 'mcp' ? 'settled' : 'origin_verified'
}

/**
 * Gives a listing the trust of its host's claim, as a version of its own; false when it has changed meanwhile.
 * @param ownerAccountOf the `G...` account of a muxed owner
 */
export const changeTrust = (
  db: Db,
  { id, trust }: TrustChange,
  ownerAccountOf: (owner: string) => string,
): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    const listing = await lockListing(transaction, id)
    if (listing?.state !== 'published' || listing.trust === trust) return false
    const { host, network, owner, kind } = listing
    const claim = await transaction
      .selectFrom('domain_claims')
      .select('claims_owner')
      .where(isDomain({ host, network, owner }))
      .executeTakeFirst()
    if (trustOf(kind, claim?.claims_owner ?? false) !== trust) return false
    const ownerAccount = ownerAccountOf(owner)
    await changeListing(transaction, listing, { cause: 'domain_verification', trust, ownerAccount })
    return true
  })

const isDomain = ({ host, network, owner }: DomainKey): RawBuilder<boolean> =>
  sql<boolean>`(host, network, owner) = (${host}, ${network}, ${owner})`
