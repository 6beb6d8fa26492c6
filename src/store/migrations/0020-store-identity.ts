import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Who this store is: the operator writes the id to the ledger, on the account of each sponsor whose channels the store has, so that no
 * operator of another store touches them. A copy of the database has the same id: it is the same store.
 */
const up: Migration['up'] = async (db) => {
  await sql`create table store_identity (
    is_only boolean primary key default true check (is_only),
    id text not null check (length(id) between 1 and 64)
  )`.execute(db)
  await sql`insert into store_identity (id) values (gen_random_uuid()::text)`.execute(db)
}

export const storeIdentity: Migration = { up }
