import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Notifies every replica when any statement frees a channel. */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create function tell_of_a_freed_channel() returns trigger language plpgsql as $$
    begin
      perform pg_notify('svc_channel_freed', new.network);
      return null;
    end $$`,
  sql`create trigger freed_channels_are_news after update of lease_owner on channels
    for each row when (old.lease_owner is not null and new.lease_owner is null)
    execute function tell_of_a_freed_channel()`,
]

export const newsOfFreedChannels: Migration = { up }
