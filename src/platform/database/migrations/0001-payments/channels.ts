import { sql } from 'kysely'

/**
 * The channels of each sponsor, and who may change them.
 *
 * No claim leases a channel before its `reserved_until`, so that a process that creates or merges channels gets it when its settlement
 * ends, however many claims wait. No trigger notifies of a freed channel: a transaction with a notification holds a lock over all
 * databases of the server until its commit is on disk (Postgres, `PreCommit_Notify`), so those that free channels could only commit
 * one after the other. The process that freed one notifies afterwards, see freed-channel-notifier.ts.
 */
export const channels = [
  sql`create table channels (
    network text not null,
    sponsor text not null,
    index integer not null check (index >= 0),
    account text not null,
    state text not null default 'active',
    quarantined_because text,
    sequence bigint,
    lease_owner text,
    lease_settlement bigint references settlements (id),
    lease_expires_at timestamptz,
    reserved_until timestamptz,
    last_used_at timestamptz,
    misses integer not null default 0 check (misses >= 0),
    primary key (network, sponsor, index),
    constraint one_row_per_channel_account unique (network, account),
    constraint known_state check (state in ('active', 'draining', 'retired', 'quarantined')),
    constraint a_quarantine_has_a_reason check (
      (state = 'quarantined') = (quarantined_because is not null)),
    constraint a_lease_has_an_owner_and_an_end check (
      (lease_owner is null) = (lease_expires_at is null)
      and (lease_owner is not null or lease_settlement is null))
  )`,
  // Least recently used first: the claim walks it and stops at the first free channel.
  sql`create index channels_by_use
    on channels (network, sponsor, last_used_at nulls first, index) where state = 'active'`,
  sql`create index channels_by_lease on channels (lease_settlement)
    where lease_settlement is not null`,
  // Names the leader of the Kubernetes operator that may write: the epoch only increases.
  sql`create table operator_epochs (
    name text primary key,
    epoch bigint not null check (epoch >= 0)
  )`,
  // Names the pool of the Kubernetes operator that owns a sponsor's channels.
  sql`create table pools (
    network text not null,
    sponsor text not null,
    uid text not null,
    name text not null,
    claimed_at timestamptz not null default clock_timestamp(),
    primary key (network, sponsor)
  )`,
  // When each process that serves a sponsor was last alive, so that `svc retire` can refuse beside one. Logged, unlike the rate
  // windows: after a crash of the server an empty table would say that no process serves. Room in each page for the new
  // versions of its rows, since each is updated every few seconds.
  sql`create table replica_heartbeats (
    network text not null,
    sponsor text not null,
    replica text not null,
    seen_at timestamptz not null,
    terms_state text check (terms_state in ('Tried', 'NotTried', 'Invalid', 'Unpayable')),
    terms_message text,
    check (num_nulls(terms_state, terms_message) in (0, 2)),
    primary key (network, sponsor, replica)
  ) with (fillfactor = 50)`,
  // The id of this store: the operator writes it to the ledger, on the account of each sponsor whose channels the store has, so
  // that no operator of another store touches them. A copy of the database has the same id: it is the same store.
  sql`create table store_identity (
    is_only boolean primary key default true check (is_only),
    id text not null check (length(id) between 1 and 64)
  )`,
  sql`insert into store_identity (id) values (gen_random_uuid()::text)`,
]
