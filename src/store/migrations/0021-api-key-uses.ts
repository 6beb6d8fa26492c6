import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * When each API key was last used, over all replicas: for `svc keys list`. Room in each page for the new versions of its
 * rows, since each replica updates the row of a key in use about once a minute.
 *
 * A replica of an earlier version writes none: until all are of this one, a use shows only in `usage_counts`, by day.
 */
const up: Migration['up'] = async (db) => {
  await sql`create table api_key_uses (
    subject text primary key,
    name text,
    last_used_at timestamptz not null
  ) with (fillfactor = 50)`.execute(db)
}

export const apiKeyUses: Migration = { up }
