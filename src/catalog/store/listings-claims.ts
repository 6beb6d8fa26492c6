import { sql, type Transaction } from 'kysely'
import type { Database } from '../../platform/database/schema.ts'

/** What a settlement declared that the origin has not confirmed. */
export interface ListingClaim {
  readonly listingId: string
  /** The listing's owner, or another payee. */
  readonly payTo: string
  readonly transaction: string
  readonly settledAt: Date
  /** `ListingContent` of the catalog. */
  readonly content: unknown
}

/** Payees other than the owner: anyone can become one with a payment to an account of their own. */
const MAX_CLAIMANTS = 5

/**
 * Keeps the newest claim of each payee, and those of the newest five payees beside the owner. The caller has locked
 * the listing.
 */
export async function putClaim(
  transaction: Transaction<Database>,
  { listingId, payTo, transaction: hash, settledAt, content }: ListingClaim,
  owner: string,
): Promise<void> {
  await transaction
    .insertInto('listing_claims')
    .values({
      listing_id: listingId,
      pay_to: payTo,
      transaction: hash,
      settled_at: settledAt,
      content: JSON.stringify(content),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['listing_id', 'pay_to'])
        .doUpdateSet((write) => ({
          transaction: write.ref('excluded.transaction'),
          settled_at: write.ref('excluded.settled_at'),
          content: sql<string>`excluded.content`,
        }))
        .whereRef('listing_claims.settled_at', '<=', 'excluded.settled_at'),
    )
    .execute()
  await transaction
    .deleteFrom('listing_claims')
    .where('listing_id', '=', listingId)
    .where('pay_to', '<>', owner)
    .where('pay_to', 'not in', (eb) =>
      eb
        .selectFrom('listing_claims')
        .select('pay_to')
        .where('listing_id', '=', listingId)
        .where('pay_to', '<>', owner)
        .orderBy('settled_at', 'desc')
        .orderBy('pay_to')
        .limit(MAX_CLAIMANTS),
    )
    .execute()
}
