import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { OWN_FACILITATOR } from './facilitators.ts'
import { claimOfHost, isProven, isShown } from './own-listings.ts'
import { inChunks, keysOf, type RegistrationKey } from './registrations.ts'
import { refreshSellers } from './registrations-sellers.ts'
import { addOwnFacilitator } from './signers-own.ts'

export interface OwnCatalogRound {
  /** Revision of the catalog from which the next round continues. */
  readonly revision: bigint
  readonly hasChanged: boolean
}

/** Characters of a description that are kept; names and resources are bounded by the catalog. */
const MAX_DESCRIPTION = 500

/**
 * Registers the payees of the listings that our catalog publishes, and removes those that none names any more. Reads what
 * changed after a revision. A tool registers nobody, even if its host claims the payee. A payee with several listings gets the words
 * of a proven one. Without such a proof it gets those of the one that was published first: a stranger's later listing, however often it is
 * paid, replaces none.
 *
 * @param since 0 for all listings
 * @returns the same revision while another process registers
 */
export async function registerOwnListings(db: Db, since: bigint): Promise<OwnCatalogRound> {
  const { revision } = await db
    .selectFrom('catalog_revisions')
    .select('revision')
    .executeTakeFirstOrThrow()
  if (revision <= since) return { revision: since, hasChanged: false }
  const keys = await changedKeys(db, since)
  // Words count only of a catalog whose facilitator is known: the first round may come before that of the signers.
  if (keys.length > 0) await addOwnFacilitator(db)
  const hasChanged = await inChunks(db, keys, async (transaction, chunk) => {
    const best = sql`best as (
      select distinct on (key.network, key."payTo") key.network, key."payTo" as pay_to,
        listing.content ->> 'serviceName' as service_name, listing.resource,
        left(listing.content ->> 'description', ${MAX_DESCRIPTION}) as description
      from ${keysOf(chunk)}
        join listing_options option on (option.network, option.pay_to_account) = (key.network, key."payTo")
        join listings listing on listing.id = option.listing_id and ${isShown} ${claimOfHost}
      order by key.network, key."payTo", ${isProven} desc, listing.first_published_at, listing.id)`
    const removed = await sql`with ${best} delete from explorer_registrations registration
      using ${keysOf(chunk)}
      where registration.source = ${OWN_FACILITATOR}
        and (registration.network, registration.pay_to) = (key.network, key."payTo")
        and not exists (select from best where (best.network, best.pay_to) = (key.network, key."payTo"))
      returning registration.pay_to`.execute(transaction)
    const written = await sql`with ${best} insert into explorer_registrations as registration
        (source, network, pay_to, service_name, resource, description)
      select ${OWN_FACILITATOR}, network, pay_to, service_name, resource, description
      from best order by network, pay_to
      on conflict (source, network, pay_to) do update set service_name = excluded.service_name,
        resource = excluded.resource, description = excluded.description, seen_at = excluded.seen_at
      where (registration.service_name, registration.resource, registration.description) is distinct from
        (excluded.service_name, excluded.resource, excluded.description)
      returning registration.pay_to`.execute(transaction)
    const isRefreshed = await refreshSellers(transaction, chunk)
    return isRefreshed || removed.rows.length + written.rows.length > 0
  })
  if (hasChanged === undefined) return { revision: since, hasChanged: false }
  return { revision, hasChanged }
}

/** Payees that changed listings name now, and those whose words are of a changed listing. */
async function changedKeys(db: Db, since: bigint): Promise<readonly RegistrationKey[]> {
  const { rows } = await sql<RegistrationKey>`
    select option.network, option.pay_to_account as "payTo"
    from listings join listing_options option on option.listing_id = listings.id
    where listings.revision > ${since}
    union
    select network, pay_to from explorer_registrations registration
    where source = ${OWN_FACILITATOR} and (${since}::bigint = 0 or (network, resource) in (
      select network, resource from listings where revision > ${since}))`.execute(db)
  return rows
}
