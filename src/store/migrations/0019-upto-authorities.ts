import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The settlement authorities of the scheme `upto`: own accounts, which processes without a seed recognise here. A row
 * stays when its account is merged, as the row of a retired channel does.
 */
const up: Migration['up'] = async (db) => {
  await sql`create table upto_authorities (
    network text not null,
    sponsor text not null,
    account text not null,
    primary key (network, account)
  )`.execute(db)
}

export const uptoAuthorities: Migration = { up }
