import { type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { inTransaction } from '../../../platform/database/in-transaction.ts'
import type { ChannelState, Db } from '../../../platform/database/schema.ts'

export interface ChannelEntry {
  readonly network: NetworkId
  readonly sponsor: string
  readonly index: number
  readonly account: string
  /** The account's sequence number; absent: the first use reads it from the ledger. */
  readonly sequence?: bigint | undefined
}

export interface Channel extends ChannelEntry {
  readonly state: ChannelState
  /** Leased for a claim, or held by a recorded envelope. */
  readonly isLeased: boolean
  readonly lastUsedAt: Date | undefined
}

/** SQL: a lease on the channel has not expired. */
export const isLeased = sql<SqlBool>`coalesce(lease_expires_at > clock_timestamp(), false)`

/** Every channel of a network, in sponsor and index order; of one sponsor when named. */
export async function listChannels(
  db: Db,
  network: NetworkId,
  sponsor?: string,
): Promise<readonly Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['network', 'sponsor', 'index', 'account', 'state', 'sequence', 'last_used_at'])
    .select(isLeased.as('is_leased'))
    .where('network', '=', network)
    .$if(sponsor !== undefined, (query) => query.where('sponsor', '=', sponsor ?? ''))
    .orderBy('sponsor')
    .orderBy('index')
    .execute()
  return rows.map((row) => ({
    network: row.network,
    sponsor: row.sponsor,
    index: row.index,
    account: row.account,
    state: row.state,
    sequence: row.sequence ?? undefined,
    isLeased: Boolean(row.is_leased),
    lastUsedAt: row.last_used_at ?? undefined,
  }))
}

/**
 * Stores channels that exist on the ledger, as active. Leases stay as they are.
 *
 * The stored sequence number of a leased channel stays too: an envelope in flight can put it ahead of
 * the number that the caller read. For a channel that is not leased, a stored number that differs from
 * the caller's (another process used the channel, or the network was reset) becomes unknown, and the
 * next use reads it from the ledger. That of an account which was stored before it was created, and was never used, is the caller's.
 *
 * The table lock makes replicas that start together write one after the other. `on conflict` handles
 * only the primary key: two concurrent inserts of one account would fail on the other unique key.
 */
export async function putChannels(db: Db, entries: readonly ChannelEntry[]): Promise<void> {
  if (entries.length === 0) return
  await inTransaction(db, async (transaction) => {
    await sql`lock table channels in share row exclusive mode`.execute(transaction)
    await transaction
      .insertInto('channels')
      .values(entries.map((entry) => ({ ...entry, sequence: entry.sequence ?? null })))
      .onConflict((conflict) =>
        conflict.columns(['network', 'sponsor', 'index']).doUpdateSet({
          state: 'active',
          quarantined_because: null,
          sequence: sql<bigint | null>`case
            when channels.lease_owner is not null or channels.sequence = excluded.sequence
            then channels.sequence
            when channels.state = 'draining' and channels.last_used_at is null
            then excluded.sequence end`,
        }),
      )
      .execute()
  })
}
