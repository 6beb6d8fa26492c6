/**
 * Which listing of the catalog in this database a payment bought: that for which the catalog has recorded the settlement of the
 * payment. A settlement whose declaration was rejected bought none, and so did a transaction of another network with the same hash.
 */
import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { columns, type Row, type StoredPayment, toPayment } from '../feed/read-feed-rows.ts'
import { recordset } from '../ingest/recordset.ts'
import { isShown } from '../registry/own-listings.ts'

interface PaymentKey {
  readonly network: NetworkId
  readonly txHash: string
}

interface BoughtListing extends PaymentKey {
  readonly serviceName: string | null
  /** The template, not the URL that was paid. */
  readonly resource: string
}

/** Of an `outcome`. */
const isPurchase = sql<boolean>`outcome.status <> 'rejected'`

/** Of an `outcome` and a `given` payment. */
const isOfPayment = sql<boolean>`(outcome.transaction = given."txHash"
  and outcome.network = given.network and ${isPurchase})`

const given = (payments: readonly object[]) =>
  recordset(payments, 'network text, "txHash" text, seller text')

/**
 * The newest payments that bought a listing, newest first: those whose ledger the explorer has read.
 */
export async function readListingPayments(
  db: Db,
  listing: string,
  limit: number,
): Promise<readonly StoredPayment[]> {
  const { rows } = await sql<Row>`
    select ${columns} from explorer_payments
    where tx_hash = any(array(
      select decode(transaction, 'hex') from catalog_outcomes outcome
      where listing_id = ${listing}::uuid and ${isPurchase} order by at desc limit ${limit}))
    order by position desc, tx_hash desc, op_index limit ${limit}`.execute(db)
  return rows.map(toPayment)
}

/** The id of the listing that a payment bought; undefined without one, or when it is hidden. */
export async function readListingOf(
  db: Db,
  { network, txHash }: PaymentKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ readonly id: string }>`
    select listing.id from ${given([{ network, txHash }])} given
      join catalog_outcomes outcome on ${isOfPayment}
      join listings listing on listing.id = outcome.listing_id
    where listing.left_out is distinct from 'hidden' limit 1`.execute(db)
  return rows[0]?.id
}

/**
 * The words of the listings that payments bought. A listing that its seller sells no more, or whose words the explorer does not show,
 * is left out.
 */
export async function readBoughtListings(
  db: Db,
  payments: readonly (PaymentKey & { readonly seller: string })[],
): Promise<readonly BoughtListing[]> {
  if (payments.length === 0) return []
  const keys = payments.map(({ network, txHash, seller }) => ({ network, txHash, seller }))
  const { rows } = await sql<BoughtListing>`
    select given.network, given."txHash", listing.service_name as "serviceName", listing.resource
    from ${given(keys)} given
      join catalog_outcomes outcome on ${isOfPayment}
      join listings listing on listing.id = outcome.listing_id and ${isShown}
    where exists (select from listing_options option where option.listing_id = listing.id
      and (option.network, option.pay_to_account) = (given.network, given.seller))`.execute(db)
  return rows
}
