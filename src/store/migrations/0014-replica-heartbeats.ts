import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * When each process that serves a sponsor was last alive, so that `svc retire` can refuse beside one. Logged, unlike
 * the rate windows: after a crash of the server an empty table would say that no process serves. Room in each
 * page for the new versions of its rows, since each is updated every few seconds.
 *
 * A replica of an earlier version writes none: beside it alone, `svc retire` does not refuse.
 */
const up: Migration['up'] = async (db) => {
  await sql`create table replica_heartbeats (
    network text not null,
    sponsor text not null,
    replica text not null,
    seen_at timestamptz not null,
    primary key (network, sponsor, replica)
  ) with (fillfactor = 50)`.execute(db)
}

export const replicaHeartbeats: Migration = { up }
