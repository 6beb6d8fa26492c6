import { type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import { inTransaction } from '../in-transaction.ts'
import type { ChannelState, Db } from '../schema.ts'

export interface ChannelEntry {
  readonly network: NetworkId
  readonly sponsor: string
  readonly index: number
  readonly account: string
  /** The account's sequence number; absent: ask the ledger before the first use. */
  readonly sequence?: bigint | undefined
}

export interface Channel extends ChannelEntry {
  readonly state: ChannelState
  /** Set aside for a claim, or held by a recorded envelope. */
  readonly isLeased: boolean
  readonly lastUsedAt: Date | undefined
}

/** Whether a lease on the channel has not expired. */
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
 * Writes channels found or created on the ledger; a lease on one stays.
 *
 * The sequence number of a channel in use may be ahead of what the caller read, by an envelope on
 * its way: it stays. One that rests and contradicts the reading (it was used meanwhile, or the
 * network began anew) is forgotten, and asked for before the next use. A draining or retired
 * channel that is put again is active again. Replicas that start together put one after the other:
 * an upsert that meets another one fails on the key it was not told to mind, the account.
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
            then channels.sequence end`,
        }),
      )
      .execute()
  })
}
