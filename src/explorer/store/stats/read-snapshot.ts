import type { Db } from '../../../platform/database/schema.ts'

/** Runs reads that must fit together: all of them see the database at one moment. */
export const inSnapshot = <T>(db: Db, work: (snapshot: Db) => Promise<T>): Promise<T> =>
  db.isTransaction
    ? work(db)
    : db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
