import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * A transaction with a notification holds a lock over all databases of the server until its commit is on disk
 * (Postgres, `PreCommit_Notify`), so transactions that freed channels could only commit one after the other.
 * Now the process that freed a channel notifies afterwards, see freed-channel-notifier.ts.
 *
 * A replica of an earlier version on this schema frees channels without a notification: during an update,
 * settlements that wait for such a channel find it at the next try, within a second.
 */
const up: Migration['up'] = async (db) => {
  await sql`drop trigger freed_channels_are_news on channels`.execute(db)
  await sql`drop function tell_of_a_freed_channel()`.execute(db)
}

export const notifyOutsideTheTransaction: Migration = { up }
