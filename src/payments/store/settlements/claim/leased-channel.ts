import {
  type QueryCreator,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UpdateQueryBuilder,
} from 'kysely'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { ChannelsTable, Database } from '../../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../../platform/database/sql-time.ts'
import { isShared } from './kept-channels.ts'

/** A channel leased for one claim. */
export interface LeasedChannel {
  readonly account: string
  readonly index: number
  /** The account's sequence number; the next transaction uses the one after. Absent: read the ledger. */
  readonly sequence: bigint | undefined
}

export const toLeasedChannel = (
  row: Pick<Selectable<ChannelsTable>, 'account' | 'index' | 'sequence'>,
): LeasedChannel => ({
  account: row.account,
  index: row.index,
  sequence: row.sequence ?? undefined,
})

/** The network and the sponsor whose channels are leased. */
export interface ChannelPool {
  readonly network: NetworkId
  readonly sponsor: string
  /** Only channels with a lower index. @default all */
  readonly channelsBelow?: number | undefined
}

/**
 * A statement that leases defines `claim` first: the rows of one or more claims, locked, and numbered from 1
 * without gaps. The first gets the first free channel.
 */
type WithClaims = Database & { claim: { id: bigint; owner: string; place: bigint } }

/**
 * A channel with an expired lease is free only if no unfinished settlement uses it; a claim may lease its
 * own channel again. A reserved one is kept for lease-for-transaction.ts.
 *
 * An array, not `in`: Postgres evaluates it once, before it locks. When a lock finds a newer row, Postgres
 * evaluates conditions again, and may not run the insert of a claim for that.
 */
const isFreeForClaims = sql<SqlBool>`channels.state = 'active'
  and (channels.lease_expires_at is null
    or channels.lease_expires_at <= clock_timestamp()
    or channels.lease_settlement = any(array(select id from claim)))
  and (channels.reserved_until is null or channels.reserved_until <= clock_timestamp())
  and not exists (
    select from settlements as holder
    where holder.network = channels.network and holder.channel = channels.account
      and holder.state = 'submitted' and not holder.awaits_authorization)`

/** The sponsor's channels that a claim could lease now. */
export const freeOfPool = (
  cte: QueryCreator<WithClaims>,
  { network, sponsor, channelsBelow }: ChannelPool,
): SelectQueryBuilder<WithClaims, 'channels', object> =>
  cte
    .selectFrom('channels')
    .where('channels.network', '=', network)
    .where('channels.sponsor', '=', sponsor)
    .$if(channelsBelow !== undefined, (query) =>
      query.where('channels.index', '<', channelsBelow ?? 0),
    )
    .where(isFreeForClaims)

/**
 * The least recently used of them, for as many as the caller limits them to. The row lock re-reads the newest lease, and
 * `skip locked` passes over a row that another statement is leasing: no claim waits, and no channel is leased twice.
 *
 * Neither the pool nor the claims are joined: Postgres then walks `channels_by_use` and stops at the last
 * free channel that it needs instead of sorting all. With 500 of 1,000 channels in use and no statistics
 * yet, a claim takes 2 ms instead of 60.
 */
export const lockFreeChannels = (
  cte: QueryCreator<WithClaims>,
  pool: ChannelPool,
): SelectQueryBuilder<WithClaims, 'channels', FoundChannel> =>
  freeOfPool(cte, pool)
    .select(['channels.network', 'channels.account', 'channels.last_used_at', 'channels.index'])
    .orderBy('channels.last_used_at', (order) => order.asc().nullsFirst())
    .orderBy('channels.index')
    .forUpdate('channels')
    .skipLocked()

type FoundChannel = Pick<
  Selectable<ChannelsTable>,
  'network' | 'account' | 'last_used_at' | 'index'
>

/** As many of those that any claim may have as there are claims; `isForAll` says which these are. */
export const sharedChannels = (
  cte: QueryCreator<WithClaims>,
  pool: ChannelPool,
  isForAll: RawBuilder<SqlBool> = isShared,
): SelectQueryBuilder<WithClaims, 'channels', FoundChannel> =>
  lockFreeChannels(cte, pool)
    .where(isForAll)
    .limit((eb) => eb.selectFrom('claim').select(eb.fn.countAll<bigint>().as('claims')))

/** The shared channels that are free, each with the number of the claim that gets it. */
export const freeChannels = (
  cte: QueryCreator<WithClaims>,
  pool: ChannelPool,
): SelectQueryBuilder<WithFree, 'free', WithFree['free']> =>
  cte.selectFrom(sharedChannels(cte, pool).as('free')).select((eb) => [
    'free.network',
    'free.account',
    eb.fn
      .agg<bigint>('row_number')
      .over((over) =>
        over
          .orderBy('free.last_used_at', (order) => order.asc().nullsFirst())
          .orderBy('free.index'),
      )
      .as('place'),
  ])

/** A free channel with the number of the claim that gets it. */
export interface FreeChannel {
  network: NetworkId
  account: string
  place: bigint
}

type WithFree = WithClaims & { free: FreeChannel }

/** Leases the channels that are in `free`. */
export const leaseFree = (
  cte: QueryCreator<WithFree>,
  { leaseTtlMs }: { readonly leaseTtlMs: number },
): UpdateQueryBuilder<
  WithFree,
  'channels',
  'channels' | 'free' | 'claim',
  Pick<Selectable<ChannelsTable>, 'account' | 'index' | 'sequence'> & { settlement: bigint }
> =>
  cte
    .updateTable('channels')
    .from('free')
    .innerJoin('claim', 'claim.place', 'free.place')
    .set((eb) => ({
      lease_owner: eb.ref('claim.owner'),
      lease_settlement: eb.ref('claim.id'),
      lease_expires_at: databaseTimeIn(leaseTtlMs),
      last_used_at: databaseNow,
    }))
    .whereRef('channels.network', '=', 'free.network')
    .whereRef('channels.account', '=', 'free.account')
    .returning([
      'channels.account',
      'channels.index',
      'channels.sequence',
      'claim.id as settlement',
    ])
