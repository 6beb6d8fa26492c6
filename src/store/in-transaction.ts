import type { Transaction } from 'kysely'
import type { Database, Db } from './schema.ts'

/** Runs the work in the transaction that `db` is, or else in a new one. */
export const inTransaction = <T>(
  db: Db,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> =>
  db.isTransaction ? work(db as Transaction<Database>) : db.transaction().execute(work)
