import { sql, type Transaction } from 'kysely'
import type { Database } from '../../platform/database/schema.ts'
import { databaseNow } from '../../platform/database/sql-time.ts'

/** New listings in an hour, over all processes. */
export interface ListingQuotas {
  readonly perOwner: number
  readonly perPayer: number
  readonly inTotal: number
}

/** The accounts on which a new listing counts. */
export interface ListingAccounts {
  /** The `G...` account of a muxed owner: ids cost nothing. */
  readonly ownerAccount: string
  readonly payer: string
}

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

/** The quota that one more listing would exceed; undefined for none. The caller has called `lockNewListings`. */
export async function exceededQuota(
  transaction: Transaction<Database>,
  { ownerAccount, payer }: ListingAccounts,
  quotas: ListingQuotas,
): Promise<keyof ListingQuotas | undefined> {
  await transaction.deleteFrom('catalog_new_listings').where('at', '<=', anHourAgo).execute()
  const counts = await transaction
    .selectFrom('catalog_new_listings')
    .select((eb) => [
      eb.fn.countAll<bigint>().as('inTotal'),
      eb.fn.countAll<bigint>().filterWhere('owner', '=', ownerAccount).as('perOwner'),
      eb.fn.countAll<bigint>().filterWhere('payer', '=', payer).as('perPayer'),
    ])
    .executeTakeFirstOrThrow()
  const names = ['perOwner', 'perPayer', 'inTotal'] as const
  return names.find((name) => counts[name] >= quotas[name])
}

/** Counts a new listing for the next hour. */
export async function countNewListing(
  transaction: Transaction<Database>,
  listingId: string,
  { ownerAccount, payer }: ListingAccounts,
): Promise<void> {
  await transaction
    .insertInto('catalog_new_listings')
    .values({ listing_id: listingId, owner: ownerAccount, payer, at: databaseNow })
    .execute()
}
