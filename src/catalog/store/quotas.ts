import { sql, type Transaction } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Database } from '../../platform/database/schema.ts'
import { databaseNow } from '../../platform/database/sql-time.ts'
import type { Standing } from './tables.ts'

/** New listings in an hour, over all processes. */
export interface ListingQuotas {
  readonly perOwner: number
  readonly perPayer: number
  readonly inTotal: number
}

/** The accounts on which a new listing counts. */
export interface ListingAccounts {
  readonly network: NetworkId
  /** The `G...` account of a muxed owner: ids cost nothing. */
  readonly ownerAccount: string
  readonly payer: string
}

/**
 * The share of the total up to which new listings of a standing are counted. So payees that have listings and no proof leave
 * half of it to others, however many accounts they are; new payees, whose accounts cost a reserve, leave a quarter to those with a proof.
 */
const SHARE = { known: 0.5, first: 0.75 } as const
/** A total of fewer listings is not shared out. */
const MIN_SHARED = 20

/** The share of the total that is proven by the hosts of one registered domain: whoever has one can claim any accounts. */
const SHARE_OF_DOMAIN = 0.05

/**
 * From here on until the transaction ends, no other one can add a listing: a resource without a listing stays so, and
 * quotas are exact. A transaction that adds a listing locks other listings before it calls this; one that adds none may lock them afterwards.
 */
export async function lockNewListings(transaction: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('new listings of the catalog', 402))`.execute(
    transaction,
  )
}

const anHourAgo = sql<Date>`clock_timestamp() - interval '1 hour'`

export interface StandingOfPayee {
  readonly standing: Standing
  /** The registered domain that claims the payee; empty without one. */
  readonly domain: string
}

/** Counts what a payee's listings say for it. A domain that has used up its share proves nothing until the hour is over. */
export async function standingOf(
  transaction: Transaction<Database>,
  { network, ownerAccount }: ListingAccounts,
  { inTotal }: ListingQuotas,
): Promise<StandingOfPayee> {
  const { rows } = await sql<{ isListed: boolean; domain: string | null }>`select exists (
      select from listing_options where pay_to_account = ${ownerAccount} and network = ${network}) as "isListed",
    (select listings.domain from listing_options option join listings on listings.id = option.listing_id
      where option.pay_to_account = ${ownerAccount} and option.network = ${network}
        and listings.trust = 'domain_verified' and listings.state = 'published'
        and (select count(*) from catalog_new_listings counted
          where counted.domain = listings.domain and counted.at > ${anHourAgo}) < ${Math.ceil(SHARE_OF_DOMAIN * inTotal)}
      order by listings.domain limit 1) as domain`.execute(transaction)
  const [found] = rows
  if (found?.domain) return { standing: 'proven', domain: found.domain }
  return { standing: found?.isListed ? 'known' : 'first', domain: '' }
}

/** `share`: that of the payee's standing. */
export type ExceededQuota = keyof ListingQuotas | 'share'

/**
 * New listings of a payee that count for this payer: its own, and those that an origin or a domain has confirmed since. Otherwise any two payers
 * could use up the quota of a payee of their choice, with declarations of which it knows nothing.
 */
const countsOnOwner = (ownerAccount: string, payer: string) => sql<boolean>`owner = ${ownerAccount}
  and (payer = ${payer} or exists (select from listings
    where listings.id = listing_id and listings.state = 'published' and listings.trust <> 'settled'))`

/** The quota that one more listing would exceed; undefined for none. The caller has called `lockNewListings`. */
export async function exceededQuota(
  transaction: Transaction<Database>,
  { ownerAccount, payer }: ListingAccounts,
  { standing }: StandingOfPayee,
  quotas: ListingQuotas,
): Promise<ExceededQuota | undefined> {
  await transaction.deleteFrom('catalog_new_listings').where('at', '<=', anHourAgo).execute()
  const counts = await transaction
    .selectFrom('catalog_new_listings')
    .select((eb) => [
      eb.fn.countAll<bigint>().as('inTotal'),
      eb.fn.countAll<bigint>().filterWhere(countsOnOwner(ownerAccount, payer)).as('perOwner'),
      eb.fn.countAll<bigint>().filterWhere('payer', '=', payer).as('perPayer'),
      eb.fn.countAll<bigint>().filterWhere('standing', '=', 'known').as('known'),
      eb.fn.countAll<bigint>().filterWhere('standing', '<>', 'proven').as('first'),
    ])
    .executeTakeFirstOrThrow()
  if (counts.perOwner >= quotas.perOwner) return 'perOwner'
  if (counts.perPayer >= quotas.perPayer) return 'perPayer'
  if (counts.inTotal >= quotas.inTotal) return 'inTotal'
  if (standing === 'proven' || quotas.inTotal < MIN_SHARED) return undefined
  const isOver = (of: 'known' | 'first') => counts[of] >= SHARE[of] * quotas.inTotal
  return isOver('first') || (standing === 'known' && isOver('known')) ? 'share' : undefined
}

/** Counts a new listing for the next hour. */
export async function countNewListing(
  transaction: Transaction<Database>,
  listingId: string,
  { ownerAccount, payer }: ListingAccounts,
  { standing, domain }: StandingOfPayee,
): Promise<void> {
  await transaction
    .insertInto('catalog_new_listings')
    .values({
      listing_id: listingId,
      owner: ownerAccount,
      payer,
      standing,
      domain,
      at: databaseNow,
    })
    .execute()
}
