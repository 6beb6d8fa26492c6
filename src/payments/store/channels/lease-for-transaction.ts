/**
 * Leases of a channel that belong to no settlement: the channel is the source account of a transaction that
 * creates or merges other channels.
 */
import { type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'
import { noLease } from '../settlements/claim/release.ts'

/** One sponsor's channels on one network. */
interface SponsorChannels {
  readonly network: NetworkId
  readonly sponsor: string
}

/** A channel leased for a transaction of its sponsor. */
export interface LeasedSource {
  readonly account: string
  readonly index: number
  /** The account's sequence number, when the store knew it. Otherwise read the ledger. */
  readonly sequence: bigint | undefined
}

const isFree = sql<SqlBool>`channels.state = 'active'
  and (channels.lease_expires_at is null or channels.lease_expires_at <= clock_timestamp())
  and not exists (
    select from settlements as holder
    where holder.network = channels.network and holder.channel = channels.account
      and holder.state = 'submitted' and not holder.awaits_authorization)`

const isReserved = sql<SqlBool>`coalesce(channels.reserved_until > clock_timestamp(), false)`

/**
 * Leases a free channel, a reserved one before others. Undefined when none is free.
 *
 * The stored sequence number becomes unknown until `returnSource` stores it: if the caller dies, its lease
 * ends with the time to live, and the next use reads the number from the ledger.
 */
export async function leaseForTransaction(
  db: Db,
  {
    network,
    sponsor,
    owner,
    leaseTtlMs,
  }: SponsorChannels & { readonly owner: string; readonly leaseTtlMs: number },
): Promise<LeasedSource | undefined> {
  const row = await db
    .with('free', (cte) =>
      cte
        .selectFrom('channels')
        .select(['account', 'index', 'sequence'])
        .where('network', '=', network)
        .where('sponsor', '=', sponsor)
        .where(isFree)
        .orderBy(isReserved, 'desc')
        .orderBy('last_used_at', (order) => order.asc().nullsFirst())
        .orderBy('index')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .with('leased', (cte) =>
      cte
        .updateTable('channels')
        .from('free')
        .set({
          lease_owner: owner,
          lease_settlement: null,
          lease_expires_at: databaseTimeIn(leaseTtlMs),
          last_used_at: databaseNow,
          sequence: null,
          reserved_until: null,
        })
        .where('channels.network', '=', network)
        .whereRef('channels.account', '=', 'free.account')
        .returning('channels.account'),
    )
    .selectFrom('free')
    .innerJoin('leased', 'leased.account', 'free.account')
    .select(['free.account', 'free.index', 'free.sequence'])
    .executeTakeFirst()
  return row && { account: row.account, index: row.index, sequence: row.sequence ?? undefined }
}

/**
 * Reserves the channel leased last, unless one is reserved: its settlement ends within a few ledgers, while
 * an early lease may be of a settlement that was lost. False when the sponsor has no active channel.
 */
export async function reserveForTransaction(
  db: Db,
  { network, sponsor, reserveMs }: SponsorChannels & { readonly reserveMs: number },
): Promise<boolean> {
  const active = await db
    .with('busy', (cte) =>
      cte
        .selectFrom('channels')
        .select(['account'])
        .select(isReserved.as('is_reserved'))
        .where('network', '=', network)
        .where('sponsor', '=', sponsor)
        .where('state', '=', 'active')
        .orderBy(isReserved, 'desc')
        .orderBy('last_used_at', (order) => order.desc().nullsLast())
        .limit(1),
    )
    .with('reserved', (cte) =>
      cte
        .updateTable('channels')
        .from('busy')
        .set({ reserved_until: databaseTimeIn(reserveMs) })
        .where('channels.network', '=', network)
        .whereRef('channels.account', '=', 'busy.account')
        .where('busy.is_reserved', '=', false)
        .returning('channels.account'),
    )
    .selectFrom('busy')
    .select('account')
    .executeTakeFirst()
  return active !== undefined
}

/** Ends the lease. @param sequence of the account now; absent: the next use reads it from the ledger */
export async function returnSource(
  db: Db,
  {
    network,
    account,
    owner,
    sequence,
  }: {
    readonly network: NetworkId
    readonly account: string
    readonly owner: string
    readonly sequence: bigint | undefined
  },
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ ...noLease, last_used_at: databaseNow, sequence: sequence ?? null })
    .where('network', '=', network)
    .where('account', '=', account)
    .where('lease_owner', '=', owner)
    .execute()
}
