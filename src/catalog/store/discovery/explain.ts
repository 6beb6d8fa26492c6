/** Reads from the store why a resource is listed, or is not: for an administrator who asks by URL or by listing. */
import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { LeftOut, ListingKind, ListingState, OutcomeStatus, Trust } from '../tables.ts'

export interface ExplainedListing {
  readonly id: string
  readonly network: NetworkId
  readonly kind: ListingKind
  readonly resource: string
  /** Method of an `http` resource, name of an `mcp` tool. */
  readonly method: string | null
  readonly toolName: string | null
  readonly owner: string
  readonly state: ListingState
  /** Why it is in no list and no search, although it is published; null: it is in them. */
  readonly leftOut: LeftOut | null
  readonly trust: Trust
  readonly version: number
  readonly settlements: bigint
  readonly firstCatalogedAt: Date
  readonly lastSettledAt: Date
  /** `ListingOutcome` of the catalog. */
  readonly lastOutcome: unknown
  /** When its origin is asked next; null: no check is due. */
  readonly nextCheckAt: Date | null
  /** Checks in a row that could not reach the origin. */
  readonly checkTries: number
  /** Claims that settlements declared since and the origin has not confirmed, latest first. */
  readonly claims: readonly PendingClaim[]
}

interface PendingClaim {
  readonly payTo: string
  readonly transaction: string
  /** ISO 8601. */
  readonly settledAt: string
}

/** The outcome of the declaration of a settled payment. */
export interface ExplainedOutcome {
  readonly at: Date
  readonly network: NetworkId
  readonly payTo: string
  readonly transaction: string
  readonly resource: string | null
  readonly status: OutcomeStatus
  readonly code: string
  readonly reason: string | null
  readonly listingId: string | null
  readonly version: number | null
  readonly dropped: readonly string[]
}

/** The declaration of a settled payment that no catalog process has recorded yet. */
export interface WaitingDeclaration {
  readonly network: NetworkId
  readonly payTo: string
  readonly transaction: string
  readonly settledAt: Date
  readonly tries: number
  readonly dueAt: Date
}

const MAX_LISTINGS = 200
const MAX_OUTCOMES = 20

/** The listing with this id, of any state. */
export const explainListing = (db: Db, id: string): Promise<readonly ExplainedListing[]> =>
  readExplained(db, sql`listings.id = ${id}`)

/**
 * The listings whose resource has one of these texts, and those with a route template on this host: the caller knows
 * which of these templates match.
 *
 * @param host empty for a URL that no server answers for
 */
export const explainResources = (
  db: Db,
  { names, host }: { readonly names: readonly string[]; readonly host: string },
): Promise<readonly ExplainedListing[]> =>
  readExplained(
    db,
    sql`md5(resource) = any(${hashesOf(names)}) and resource = any(${[...names]})
      or host = ${host} and host <> '' and resource like '%/:%'`,
  )

/** The last outcomes of settlements that named one of these URLs, or led to one of these listings, latest first. */
export async function explainOutcomes(
  db: Db,
  {
    names,
    listingIds,
  }: { readonly names: readonly string[]; readonly listingIds: readonly string[] },
): Promise<readonly ExplainedOutcome[]> {
  const { rows } = await sql<ExplainedOutcome>`
    select at, network, pay_to as "payTo", transaction, resource, status, code, reason,
      listing_id as "listingId", version, dropped
    from catalog_outcomes
    where md5(resource) = any(${hashesOf(names)}) and resource = any(${[...names]})
      or listing_id = any(${[...listingIds]}::uuid[])
    order by at desc limit ${MAX_OUTCOMES}`.execute(db)
  return rows
}

/** Declarations of settlements that named one of these URLs and wait to be recorded, latest settled first. */
export async function explainWaiting(
  db: Db,
  names: readonly string[],
): Promise<readonly WaitingDeclaration[]> {
  const { rows } = await sql<WaitingDeclaration>`
    select outbox.network, outbox.pay_to as "payTo", outbox.transaction, outbox.settled_at as "settledAt",
      outbox.tries, outbox.due_at as "dueAt"
    from catalog_outbox outbox join settlements on settlements.id = outbox.settlement_id
    where settlements.resource_url = any(${[...names]})
    order by outbox.settled_at desc limit ${MAX_OUTCOMES}`.execute(db)
  return rows
}

/** URLs are indexed by their hashes: an index entry holds no text of two kilobytes. */
const hashesOf = (names: readonly string[]) =>
  sql`array(select md5(name) from unnest(${[...names]}::text[]) name)`

async function readExplained(
  db: Db,
  isWanted: ReturnType<typeof sql>,
): Promise<readonly ExplainedListing[]> {
  const { rows } = await sql<ExplainedListing>`
    select id, network, kind, resource, method, tool_name as "toolName", owner, state, left_out as "leftOut", trust, version,
      settlements, first_cataloged_at as "firstCatalogedAt", last_settled_at as "lastSettledAt",
      last_outcome as "lastOutcome", check_due_at as "nextCheckAt", check_tries as "checkTries",
      coalesce((select json_agg(json_build_object('payTo', pay_to, 'transaction', transaction, 'settledAt',
          to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by settled_at desc)
        from listing_claims where listing_id = listings.id), '[]') as claims
    from listings where ${isWanted}
    order by first_cataloged_at, id limit ${MAX_LISTINGS}`.execute(db)
  return rows
}
