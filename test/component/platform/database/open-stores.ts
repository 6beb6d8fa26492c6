import { sql } from 'kysely'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'

/** A store with an empty, current schema on the Postgres of the run; closing it takes its database away. */
export async function openEmptyStore(): Promise<Store> {
  const database = await freshDatabase()
  const store = await openStore({ kind: 'postgres', url: database.url, poolSize: 4 })
  const close = async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  }
  return { ...store, close, [Symbol.asyncDispose]: close }
}

/** Between two tests that share a store. */
export async function emptyTables({ db }: Store): Promise<void> {
  await db.deleteFrom('channels').execute()
  await db.deleteFrom('upto_authorities').execute()
  await db.deleteFrom('settlements').execute()
  await db.deleteFrom('payment_identifiers').execute()
  await sql`delete from fee_totals`.execute(db)
  await sql`delete from usage_counts`.execute(db)
  await sql`delete from catalog_outbox`.execute(db)
  await sql`delete from catalog_outcomes`.execute(db)
  await sql`delete from catalog_outcome_counts`.execute(db)
}
