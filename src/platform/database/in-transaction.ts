import type { Transaction } from 'kysely'
import type { Database, Db } from './schema.ts'

/** The parameter of queries that must be part of a transaction. */
export type DbTransaction = Transaction<Database>

/** Runs the work in the transaction that `db` is, or else in a new one. */
export const inTransaction = <T>(
  db: Db,
  work: (transaction: DbTransaction) => Promise<T>,
): Promise<T> => (db.isTransaction ? work(db as DbTransaction) : db.transaction().execute(work))
