import type { Transaction } from 'kysely'
import type { Database, Db } from './schema.ts'

/** Does the work in the transaction at hand, or else in one of its own. */
export const inTransaction = <T>(
  db: Db,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> =>
  db.isTransaction ? work(db as Transaction<Database>) : db.transaction().execute(work)
