import { type QueryCreator, type Selectable, type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { ChannelsTable, Database } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'

/** A channel set aside for one claim. */
export interface LeasedChannel {
  readonly account: string
  readonly index: number
  /** The account's sequence number: the next transaction uses one more. Absent: ask the ledger. */
  readonly sequence: bigint | undefined
}

export const toLeasedChannel = (
  row: Pick<Selectable<ChannelsTable>, 'account' | 'index' | 'sequence'>,
): LeasedChannel => ({
  account: row.account,
  index: row.index,
  sequence: row.sequence ?? undefined,
})

/** What a statement that leases must have at hand: the claim, its row locked, as `claim`. */
type WithClaim = Database & { claim: { id: bigint; network: NetworkId; sponsor: string } }

/**
 * An expired lease frees a channel only if no unfinished settlement uses it; a claim may have its
 * own back.
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
 * The sponsor's free channel that rested longest. The row lock re-reads the newest lease, and a
 * row that someone else is leasing is passed over: nobody waits, nobody leases it twice.
 *
 * The claim is asked for in scalars, not joined: so Postgres walks `channels_by_use` and stops at
 * the first free channel, instead of sorting all. With 500 of 1,000 channels in use, and no
 * statistics yet, a claim takes 2 ms that took 60.
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

/** Leases what `freeChannel`, as `free`, has found. */
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
