import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What the Kubernetes operator adds: which leader may write (an epoch that only increases), which pool owns a
 * sponsor's channels, and quarantined channels, which are not leased.
 */
const up: Migration['up'] = async (db) => {
  for (const statement of statements) await statement.execute(db)
}

const statements = [
  sql`create table operator_epochs (
    name text primary key,
    epoch bigint not null check (epoch >= 0)
  )`,
  sql`create table pools (
    network text not null,
    sponsor text not null,
    uid text not null,
    name text not null,
    claimed_at timestamptz not null default clock_timestamp(),
    primary key (network, sponsor)
  )`,
  sql`alter table channels
    drop constraint channels_state_check,
    add column misses integer not null default 0 check (misses >= 0),
    add column quarantined_because text,
    add constraint known_state check (state in ('active', 'draining', 'retired', 'quarantined')),
    add constraint a_quarantine_has_a_reason check (
      (state = 'quarantined') = (quarantined_because is not null))`,
]

export const pools: Migration = { up }
