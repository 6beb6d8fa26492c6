import { type SqlBool, sql } from 'kysely'
import type { ChannelState, Db } from '../../../platform/database/schema.ts'
import { MAX_STORED_CHANNELS, type PoolKey, requireValidIndices } from './channel-indices.ts'

/** A channel as the operator needs it. */
export interface PoolChannel {
  readonly index: number
  readonly account: string
  readonly state: ChannelState
  /** The account's sequence number; absent: the next use reads it from the ledger. */
  readonly sequence: bigint | undefined
  /** Leased for a claim, or held by a recorded envelope: must not be merged. */
  readonly isLeased: boolean
  /** When the lease of a transaction of the sponsor ends by itself, Unix ms; undefined for those of settlements. */
  readonly transactionUntil?: number | undefined
  /** The unresolvable settlement that holds the channel. */
  readonly heldBy: bigint | undefined
  /** How many of its last settlements, in a row, ended without consuming its sequence number. */
  readonly misses: number
  readonly quarantinedBecause: string | undefined
}

const isLeased = sql<SqlBool>`coalesce(channels.lease_expires_at > clock_timestamp(), false)
  or exists (
    select from settlements as holder
    where holder.network = channels.network and holder.channel = channels.account
      and holder.state = 'submitted' and not holder.awaits_authorization)`

const transactionUntil = sql<Date | null>`case
  when channels.lease_settlement is null and channels.lease_expires_at > clock_timestamp()
  then channels.lease_expires_at end`

/** The channels in index order, retired ones included. Throws `InvalidChannelIndex`. */
export async function listPoolChannels(db: Db, pool: PoolKey): Promise<readonly PoolChannel[]> {
  const { network, sponsor } = pool
  const rows = await db
    .selectFrom('channels')
    .leftJoin('settlements as stuck', (join) =>
      join
        .onRef('stuck.network', '=', 'channels.network')
        .onRef('stuck.channel', '=', 'channels.account')
        .on('stuck.state', '=', 'submitted')
        .on('stuck.awaits_authorization', '=', false)
        .on('stuck.unresolvable_because', 'is not', null),
    )
    .select(['index', 'account', 'channels.state', 'sequence', 'misses', 'quarantined_because'])
    .select(['stuck.id as held_by', isLeased.as('is_leased')])
    .select(transactionUntil.as('transaction_until'))
    .where('channels.network', '=', network)
    .where('channels.sponsor', '=', sponsor)
    .orderBy('index')
    .limit(MAX_STORED_CHANNELS + 1)
    .execute()
  requireValidIndices(
    pool,
    rows.map(({ index }) => index),
  )
  return rows.map((row) => ({
    index: row.index,
    account: row.account,
    state: row.state,
    sequence: row.sequence ?? undefined,
    isLeased: Boolean(row.is_leased),
    transactionUntil: row.transaction_until?.getTime(),
    heldBy: row.held_by ?? undefined,
    misses: row.misses,
    quarantinedBecause: row.quarantined_because ?? undefined,
  }))
}

/**
 * Stores accounts before they are created on the ledger, as `draining`: if the leader dies in between, the
 * next leader knows them. They cannot be leased before `putChannels` makes them active.
 */
export async function addDrainingChannels(
  db: Db,
  { network, sponsor }: PoolKey,
  channels: readonly { readonly index: number; readonly account: string }[],
): Promise<void> {
  if (channels.length === 0) return
  await db
    .insertInto('channels')
    .values(
      channels.map(({ index, account }) => ({
        network,
        sponsor,
        index,
        account,
        state: 'draining' as const,
        sequence: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'sponsor', 'index'])
        .doUpdateSet({ state: 'draining' })
        .where('channels.state', '=', 'retired'),
    )
    .execute()
}

/**
 * Stops leasing these channels; settlements that use them continue. Locks the channels in the order of their
 * accounts, as a statement does that finishes many settlements.
 */
export async function drainPoolChannels(
  db: Db,
  { network, sponsor }: PoolKey,
  indices: readonly number[],
): Promise<void> {
  if (indices.length === 0) return
  await db
    .with('held', (cte) =>
      cte
        .selectFrom('channels')
        .select('account')
        .where('network', '=', network)
        .where('sponsor', '=', sponsor)
        .where('state', '=', 'active')
        .where('index', 'in', indices)
        .orderBy('account')
        .forUpdate(),
    )
    .updateTable('channels')
    .from('held')
    .set({ state: 'draining' })
    .where('network', '=', network)
    .whereRef('channels.account', '=', 'held.account')
    .execute()
}

/** Stops leasing a channel and stores why. A settlement that uses it continues. */
export async function quarantineChannel(
  db: Db,
  { network, sponsor }: PoolKey,
  { index, because }: { readonly index: number; readonly because: string },
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ state: 'quarantined', quarantined_because: because })
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .where('state', '=', 'active')
    .where('index', '=', index)
    .execute()
}
