import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { keysOf, type RegistrationKey } from './registrations.ts'

/** A listing that our catalog publishes for an address that is paid. */
export interface OwnListing {
  readonly network: NetworkId
  readonly payTo: string
  /** The URL, or its template. */
  readonly resource: string
  readonly method: string
  readonly serviceName: string | null
  /** Whether the host claims the payee, and the payee names the host on the ledger: nobody but the payee can make both say so. */
  readonly isProven: boolean
}

/**
 * Whether the explorer shows the words of `listing`. A tool's words are those of a payer, who names any payee for one base unit, and no
 * server is asked for them.
 */
export const isShown: RawBuilder<boolean> = sql<boolean>`(listing.state = 'published'
  and listing.left_out is null and listing.kind = 'http')`

/** The claim of the host of `listing`, as a join of the table `claim`. */
export const claimOfHost: RawBuilder<unknown> = sql`left join domain_claims claim
  on (claim.host, claim.network, claim.owner) = (listing.host, listing.network, listing.owner)`

export const isProven: RawBuilder<boolean> = sql<boolean>`(listing.trust = 'domain_verified'
  and coalesce(claim.is_named_by_owner, false))`

/** The most listings of one address that a statement reads before it orders them: a stranger may have many made for it. */
const MAX_READ = 1_000

/** Ids of the listings that are for sale to an address on a network. */
const idsOf = (network: RawBuilder<unknown>, payTo: RawBuilder<unknown>) => sql`
  select distinct listing_id from (select listing_id from listing_options
    where (network, pay_to_account) = (${network}, ${payTo}) limit ${MAX_READ}) read`

/** The listings of each address, proven ones first, then those that were published first; at most `limit` of each. */
export async function readOwnListings(
  db: Db,
  payees: readonly RegistrationKey[],
  limit: number,
): Promise<readonly OwnListing[]> {
  if (payees.length === 0) return []
  const { rows } = await sql<OwnListing>`
    select key.network, key."payTo", listed.resource, listed.method,
      listed.service_name as "serviceName", listed.is_proven as "isProven"
    from ${keysOf(payees)} cross join lateral (
      select listing.id, listing.resource, listing.method, listing.service_name,
        listing.first_published_at, ${isProven} as is_proven
      from listings listing ${claimOfHost}
      where ${isShown} and listing.id in (${idsOf(sql`key.network`, sql`key."payTo"`)})
      order by is_proven desc, listing.first_published_at, listing.id limit ${limit}
    ) listed
    order by key.network, key."payTo", is_proven desc, first_published_at, id`.execute(db)
  return rows
}

/** How many listings an address has, up to a thousand: a value of a row that has these columns. */
export const countOfOwnListings = (
  network: RawBuilder<unknown>,
  payTo: RawBuilder<unknown>,
): RawBuilder<number> => sql<number>`(select count(*)::integer from listings listing
    where ${isShown} and listing.id in (${idsOf(network, payTo)}))`
