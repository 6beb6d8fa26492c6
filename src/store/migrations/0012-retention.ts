import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The last ledger in which the authorization is valid, which a claim writes: retention keeps a finished
 * settlement until long after it. Null in rows of earlier versions, see delete-old.ts.
 *
 * Postgres vacuums a table by default once a fifth of it is dead. Retention deletes a small part of a large table
 * at a time, so the settlements are vacuumed and analysed after a fiftieth.
 */
const up: Migration['up'] = async (db) => {
  await sql`alter table settlements add column expiration_ledger bigint`.execute(db)
  await sql`alter table settlements set (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02)`.execute(db)
}

export const retention: Migration = { up }
