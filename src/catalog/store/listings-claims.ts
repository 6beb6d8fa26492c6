import { sql, type Transaction } from 'kysely'
import type { Database, Db } from '../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../platform/database/sql-time.ts'

/** A declaration of a settlement that the origin has not confirmed. */
export interface ListingClaim {
  readonly listingId: string
  readonly payer: string
  /** The listing's owner, or another payee. */
  readonly payTo: string
  readonly transaction: string
  readonly settledAt: Date
  /** `ListingContent` of the catalog. */
  readonly content: unknown
  /** The path that was paid for, if the origin can be asked with it. */
  readonly paidPath?: string | undefined
}

/** A claim without its content. */
export interface ClaimOfListing {
  readonly payer: string
  readonly payTo: string
  readonly transaction: string
  /** How often the origin was asked with it. */
  readonly tries: number
  /** Whether the origin is to be asked with it now. */
  readonly isDue: boolean
}

/** Claims of one listing; each may have 64 KiB, and anyone can make one with a payment to an account of their own. */
const MAX_CLAIMS = 20

/**
 * Keeps the newest claim of each payer: no payment replaces what another payer declared. Of too many, it deletes first
 * a claim with which the origin was asked, the one asked longest ago, and else one that chance chooses, so that a payer cannot choose whose
 * claim is deleted. The caller has locked the listing.
 */
export async function putClaim(
  transaction: Transaction<Database>,
  { listingId, payer, payTo, transaction: hash, settledAt, content, paidPath }: ListingClaim,
): Promise<void> {
  await transaction
    .insertInto('listing_claims')
    .values({
      listing_id: listingId,
      payer,
      pay_to: payTo,
      transaction: hash,
      settled_at: settledAt,
      content: JSON.stringify(content),
      paid_path: paidPath ?? null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['listing_id', 'payer'])
        .doUpdateSet((write) => ({
          pay_to: write.ref('excluded.pay_to'),
          transaction: write.ref('excluded.transaction'),
          settled_at: write.ref('excluded.settled_at'),
          asked_at: null,
          due_at: databaseNow,
          tries: 0,
          content: sql<string>`excluded.content`,
          paid_path: write.ref('excluded.paid_path'),
        }))
        .whereRef('listing_claims.settled_at', '<=', 'excluded.settled_at'),
    )
    .execute()
  await sql`delete from listing_claims where listing_id = ${listingId} and payer in (
    select payer from listing_claims where listing_id = ${listingId} and payer <> ${payer}
    order by asked_at desc nulls first, random() offset ${MAX_CLAIMS - 1})`.execute(transaction)
}

/** The declaration of a claim, and the path that was paid for; undefined when it was replaced meanwhile. */
export async function readClaimContent(
  db: Db,
  id: string,
  { payer, transaction }: ClaimOfListing,
): Promise<{ readonly content: unknown; readonly paidPath: string | null } | undefined> {
  return await db
    .selectFrom('listing_claims')
    .select(['content', 'paid_path as paidPath'])
    .where('listing_id', '=', id)
    .where('payer', '=', payer)
    .where('transaction', '=', transaction)
    .executeTakeFirst()
}

/** Notes that the origin was asked with this claim, and when it is asked with it again; undefined: never, and the path that was paid for is deleted. */
export async function markAsked(
  transaction: Transaction<Database>,
  id: string,
  { payer, transaction: hash }: ClaimOfListing,
  againInMs: number | undefined,
): Promise<void> {
  await transaction
    .updateTable('listing_claims')
    .set({
      asked_at: databaseNow,
      due_at: againInMs === undefined ? null : databaseTimeIn(againInMs),
      tries: sql<number>`tries + 1`,
      ...(againInMs === undefined && { paid_path: null }),
    })
    .where('listing_id', '=', id)
    .where('payer', '=', payer)
    .where('transaction', '=', hash)
    .execute()
}

/** Removes claims that the origin has decided about. */
export async function deleteClaims(
  transaction: Transaction<Database>,
  id: string,
  claims: readonly ClaimOfListing[],
): Promise<void> {
  for (const { payer, transaction: hash } of claims) {
    await transaction
      .deleteFrom('listing_claims')
      .where('listing_id', '=', id)
      .where('payer', '=', payer)
      .where('transaction', '=', hash)
      .execute()
  }
}

/** A payment for a listing. */
export interface PaidPayee {
  readonly payTo: string
  readonly transaction: string
}

/**
 * Returns those of these payees that were paid for a listing, whether or not their claims are kept: each with its latest payment,
 * the latest first.
 */
export async function paidAmong(
  db: Db,
  id: string,
  payees: readonly string[],
): Promise<readonly PaidPayee[]> {
  if (payees.length === 0) return []
  const { rows } = await sql<PaidPayee>`select pay_to as "payTo", transaction from (
      select distinct on (pay_to) pay_to, transaction, at from (
        select pay_to, transaction, settled_at as at from listing_claims where listing_id = ${id}
        union all
        select pay_to, transaction, at from catalog_outcomes where listing_id = ${id}
      ) payment where pay_to = any(${[...payees]}::text[]) order by pay_to, at desc
    ) latest order by at desc, "payTo"`.execute(db)
  return rows
}
