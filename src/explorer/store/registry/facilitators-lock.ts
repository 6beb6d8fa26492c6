import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'

/** A number that no other advisory lock of this service has. */
const REGISTRY_LOCK = 3_853_314_791_062_309_201n

/**
 * Orders the transactions that change facilitators and signers, which are short: claims of two facilitators on each
 * other's signers then cannot deadlock, and two announcements cannot both take the last place. Ends with the transaction.
 */
export async function lockRegistry(transaction: DbTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${REGISTRY_LOCK})`.execute(transaction)
}
