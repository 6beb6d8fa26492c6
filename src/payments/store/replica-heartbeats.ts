import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { shortText } from '../../platform/core/text/short-text.ts'
import type { Db } from '../../platform/database/schema.ts'

/** A sponsor that a process serves. */
export interface ServedSponsor {
  readonly network: NetworkId
  readonly sponsor: string
}

/** The facts of the terms on which a network accepts payments. */
export interface TermsReport {
  /** Unpayable: it is known of every asset and scheme that no payment can be made. */
  readonly state: 'Tried' | 'NotTried' | 'Invalid' | 'Unpayable'
  /** The problem, or the part that was not tried, and why; empty where all was tried. */
  readonly message: string
}

interface Heartbeat extends ServedSponsor {
  /** Undefined until the process has tried its terms. */
  readonly terms?: TermsReport | undefined
}

/** A process that was alive a moment ago. */
export interface LiveReplica {
  /** The name of the machine or the pod. */
  readonly host: string
  readonly sponsor: string
  /** Seconds since its last heartbeat, by the clock of the database. */
  readonly ageSeconds: number
}

/** Three heartbeats, so that one or two lost ones end no replica. */
const LIVE_SECONDS = 30
/** Rows of processes that were killed; nothing reads them. */
const KEPT_SECONDS = 3_600

/** Short, since a statement that waits for a lock keeps its connection from payments. */
const LOCK_TIMEOUT_MS = 500

/** Runs in a transaction, since a pooler may lend the connection for no longer. Throws `StoreUnavailable` at the limit. */
const withoutWaiting = (db: Db, write: (transaction: Db) => Promise<unknown>): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction)
    await write(transaction)
  })

/** Writes that the replica is alive, and what it knows of its terms, for all sponsors that it serves, in one statement. */
export const writeHeartbeats = (
  db: Db,
  replica: string,
  beats: readonly Heartbeat[],
): Promise<void> =>
  withoutWaiting(db, (transaction) =>
    sql`with dead as (
      delete from replica_heartbeats where (network, sponsor, replica) in (
        select network, sponsor, replica from replica_heartbeats
        where seen_at < clock_timestamp() - ${KEPT_SECONDS} * interval '1 second'
          and replica <> ${replica}
        for update skip locked)
    )
    insert into replica_heartbeats (network, sponsor, replica, seen_at, terms_state, terms_message)
    select network, sponsor, ${replica}, clock_timestamp(), terms ->> 'state', terms ->> 'message'
    from json_to_recordset(${JSON.stringify(beats)}::json)
      as served (network text, sponsor text, terms json)
    order by network, sponsor
    on conflict (network, sponsor, replica) do update set seen_at = excluded.seen_at,
      terms_state = excluded.terms_state, terms_message = excluded.terms_message`.execute(
      transaction,
    ),
  )

/** A replica that stops in good order is no longer counted as alive. */
export const deleteHeartbeats = (db: Db, replica: string): Promise<void> =>
  withoutWaiting(db, (transaction) =>
    transaction.deleteFrom('replica_heartbeats').where('replica', '=', replica).execute(),
  )

/** A status has half of it. */
const MAX_MESSAGE_LENGTH = 2_000

/** The facts that the replicas on these hosts with a heartbeat within 30 s have of their terms, by network. */
export async function listTermsReports(
  db: Db,
  hosts: readonly string[],
): Promise<readonly (TermsReport & { readonly network: NetworkId })[]> {
  if (hosts.length === 0) return []
  const { rows } = await sql<TermsReport & { network: NetworkId }>`
    select network, terms_state as state, terms_message as message
    from replica_heartbeats
    where seen_at > clock_timestamp() - ${LIVE_SECONDS} * interval '1 second'
      and terms_state is not null
      and regexp_replace(replica, '/[^/]*$', '') = any(${hosts})
    order by network, replica`.execute(db)
  return rows.map((row) => ({ ...row, message: shortText(row.message, MAX_MESSAGE_LENGTH) }))
}

/**
 * The replicas with a heartbeat within 30 s that may use this sponsor's channels, the latest first. Where ChannelPools
 * share the network, these are the replicas of this sponsor alone; without any, all of the network.
 */
export const listLiveReplicas = (
  db: Db,
  { network, sponsor }: ServedSponsor,
): Promise<readonly LiveReplica[]> =>
  liveReplicas(
    db,
    network,
    sql`and (sponsor = ${sponsor} or not exists (select from pools where pools.network = ${network}))`,
  )

/** Every replica of the network with a heartbeat within 30 s, of whichever sponsor, the latest first. */
export const listServingReplicas = (db: Db, network: NetworkId): Promise<readonly LiveReplica[]> =>
  liveReplicas(db, network, sql``)

async function liveReplicas(
  db: Db,
  network: NetworkId,
  condition: RawBuilder<unknown>,
): Promise<readonly LiveReplica[]> {
  const { rows } = await sql<{ replica: string; sponsor: string; age: number }>`
    select replica, sponsor,
      greatest(extract(epoch from clock_timestamp() - seen_at), 0)::double precision as age
    from replica_heartbeats
    where network = ${network}
      and seen_at > clock_timestamp() - ${LIVE_SECONDS} * interval '1 second' ${condition}
    order by age, replica`.execute(db)
  return rows.map((row) => ({
    host: row.replica.replace(/\/[^/]*$/, ''),
    sponsor: row.sponsor,
    ageSeconds: Math.floor(row.age),
  }))
}
