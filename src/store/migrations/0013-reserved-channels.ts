import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Until this time no claim leases the channel, so that a process that creates or merges channels gets it when
 * its settlement ends, however many claims wait. A replica of an earlier version leases it nevertheless.
 */
const up: Migration['up'] = async (db) => {
  await sql`alter table channels add column reserved_until timestamptz`.execute(db)
}

export const reservedChannels: Migration = { up }
