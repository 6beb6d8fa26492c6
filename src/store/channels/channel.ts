import { type Kysely, type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import { inTransaction } from '../in-transaction.ts'
import type { ChannelState, Database } from '../schema.ts'

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

export interface ChannelUse {
  /** Channels that may be leased now or later. */
  readonly active: number
  readonly inUse: number
}

const isLeased = sql<SqlBool>`coalesce(lease_expires_at > clock_timestamp(), false)`

export async function list(
  db: Kysely<Database>,
  network: NetworkId,
  sponsor: string | undefined,
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
 * The sequence number of a channel in use may be ahead of what the caller read, by an envelope on
 * its way: it stays. One that rests and contradicts the reading (it was used meanwhile, or the
 * network began anew) is forgotten, and asked for before the next use. A draining or retired
 * channel that is put again is active again. Replicas that start together put one after the other:
 * an upsert that meets another one fails on the key it was not told to mind, the account.
 */
export async function put(db: Kysely<Database>, entries: readonly ChannelEntry[]): Promise<void> {
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

export async function countUse(
  db: Kysely<Database>,
  network: NetworkId,
  sponsor: string,
): Promise<ChannelUse> {
  const counts = await db
    .selectFrom('channels')
    .select((eb) => [
      eb.fn.countAll<bigint>().filterWhere('state', '=', 'active').as('active'),
      eb.fn.countAll<bigint>().filterWhere(isLeased).as('in_use'),
    ])
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .executeTakeFirstOrThrow()
  return { active: Number(counts.active), inUse: Number(counts.in_use) }
}

/** Channels of the network in use, whoever's they are. */
export async function leasedOn(db: Kysely<Database>, network: NetworkId): Promise<number> {
  const { leased } = await db
    .selectFrom('channels')
    .select((eb) => eb.fn.countAll<bigint>().as('leased'))
    .where('network', '=', network)
    .where(isLeased)
    .executeTakeFirstOrThrow()
  return Number(leased)
}
