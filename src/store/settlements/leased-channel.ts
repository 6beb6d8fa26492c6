import { type QueryCreator, type Selectable, type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { ChannelsTable, Database } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'

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

/** A statement that leases defines `claim` first: the claim's row, locked. */
type WithClaim = Database & { claim: { id: bigint; network: NetworkId; sponsor: string } }

/**
 * A channel with an expired lease is free only if no unfinished settlement uses it; a claim may lease its
 * own channel again.
 */
const isFreeForClaim = sql<SqlBool>`channels.state = 'active'
  and (channels.lease_expires_at is null
    or channels.lease_expires_at <= clock_timestamp()
    or channels.lease_settlement = (select id from claim))
  and not exists (
    select from settlements as holder
    where holder.network = channels.network and holder.channel = channels.account
      and holder.state = 'submitted')`

/**
 * The sponsor's least recently used free channel. The row lock re-reads the newest lease, and `skip locked`
 * passes over a row that another claim is leasing: no claim waits, and no channel is leased twice.
 *
 * The claim is read by scalar subqueries, not by a join: Postgres then walks `channels_by_use` and stops at
 * the first free channel instead of sorting all. With 500 of 1,000 channels in use and no statistics yet, a
 * claim takes 2 ms instead of 60.
 */
export const freeChannel = (cte: QueryCreator<WithClaim>) =>
  cte
    .selectFrom('channels')
    .select((eb) => [
      'channels.network',
      'channels.account',
      eb.selectFrom('claim').select('claim.id').$asScalar().$notNull().as('settlement'),
    ])
    .where('channels.network', '=', (eb) => eb.selectFrom('claim').select('claim.network'))
    .where('channels.sponsor', '=', (eb) => eb.selectFrom('claim').select('claim.sponsor'))
    .where(isFreeForClaim)
    .orderBy('channels.last_used_at', (order) => order.asc().nullsFirst())
    .orderBy('channels.index')
    .limit(1)
    .forUpdate('channels')
    .skipLocked()

type WithFree = Database & { free: { network: NetworkId; account: string; settlement: bigint } }

/** Leases the channel that `freeChannel` found, as `free`. */
export const leaseFree = (
  cte: QueryCreator<WithFree>,
  { owner, leaseTtlMs }: { owner: string; leaseTtlMs: number },
) =>
  cte
    .updateTable('channels')
    .from('free')
    .set((eb) => ({
      lease_owner: owner,
      lease_settlement: eb.ref('free.settlement'),
      lease_expires_at: databaseTimeIn(leaseTtlMs),
      last_used_at: databaseNow,
    }))
    .whereRef('channels.network', '=', 'free.network')
    .whereRef('channels.account', '=', 'free.account')
    .returning(['channels.account', 'channels.index', 'channels.sequence'])
