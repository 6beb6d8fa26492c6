import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { columns, type Row, type StoredPayment, toPayment } from '../feed/read-feed-rows.ts'

/**
 * The newest payments for a listing of the catalog in this database, newest first: those whose settlement the catalog has recorded for
 * it, and whose ledger the explorer has read.
 */
export async function readListingPayments(
  db: Db,
  listing: string,
  limit: number,
): Promise<readonly StoredPayment[]> {
  const { rows } = await sql<Row>`
    select ${columns} from explorer_payments
    where tx_hash = any(array(
      select decode(transaction, 'hex') from catalog_outcomes
      where listing_id = ${listing}::uuid order by at desc limit ${limit}))
    order by position desc, tx_hash desc, op_index limit ${limit}`.execute(db)
  return rows.map(toPayment)
}

/** The listing for which the catalog in this database has recorded the payment of a transaction; undefined without one, or when it is hidden. */
export async function readListingOf(db: Db, txHash: string): Promise<string | undefined> {
  const { rows } = await sql<{ readonly id: string }>`
    select listing_id as id from catalog_outcomes outcome join listings on listings.id = listing_id
    where outcome.transaction = ${txHash} and left_out is distinct from 'hidden' limit 1`.execute(
    db,
  )
  return rows[0]?.id
}
