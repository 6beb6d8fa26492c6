import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { FEW_ONE_IN, hasWaited, isKept, isSharedAfter } from './kept-channels.ts'
import {
  type ChannelPool,
  type FreeChannel,
  freeOfPool,
  type LeasedChannel,
  leaseFree,
  lockFreeChannels,
  sharedChannels,
  toLeasedChannel,
} from './leased-channel.ts'
import type { ClaimFence } from './release.ts'

export interface LeaseRequest extends ChannelPool {
  readonly leaseTtlMs: number
  /** A kept channel is kept for so long while a claim waits. */
  readonly keptForMs: number
  /** The claims in the order in which they began to wait. */
  readonly claims: readonly ClaimFence[]
}

export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly channel: LeasedChannel }
  | { readonly kind: 'none_free' }
  /** Only channels are free that are kept for payers that hold few. */
  | { readonly kind: 'kept' }
  /** The claim was taken over or released: the caller must stop. */
  | { readonly kind: 'claim_lost' }

/**
 * Leases the least recently used free channels for claims that have none, as many as there are, in one round
 * trip; returns one outcome for each claim, in their order.
 *
 * A free channel goes to the payer that holds the fewest channels, among these to the payTo that receives
 * through the fewest, among these to the claim that began to wait first. Counted are the leases of all replicas,
 * and those that this statement makes. So a payer with many claims delays every other by one of them at most.
 *
 * Kept channels (kept-channels.ts) go to payers that hold few. One that was idle for `keptForMs`, while a claim of
 * the statement waited as long, goes to any.
 *
 * A claim whose row another statement has locked gets none in this round: no lease waits for a lock, so leases
 * of several claims cannot deadlock.
 */
export async function leaseChannels(db: Db, request: LeaseRequest): Promise<LeaseOutcome[]> {
  // An array: leased-channel.ts says why.
  const oneHasWaited = sql<SqlBool>`true = any(array(select has_waited from open))`
  const isForAll = isSharedAfter(request.keptForMs, oneHasWaited)
  const rows = await db
    .with('waiting', () => waitingClaims(request))
    .with('open', () => lockOpenClaims(request))
    .with('claim', () => claimsInFairOrder(request))
    .with('shared', (cte) => sharedChannels(cte, request, isForAll))
    .with('kept', (cte) =>
      lockFreeChannels(cte, request).where(sql<SqlBool>`not ${isForAll}`).limit(smallClaimsLeft),
    )
    .with('free', () => sharedThenKept)
    .with('leased', (cte) => leaseFree(cte, request))
    .with('left_kept', (cte) =>
      freeOfPool(cte, request)
        .select('channels.account')
        .where(isKept)
        .where(sql<SqlBool>`channels.account not in (select account from leased)`),
    )
    .selectFrom('waiting')
    .leftJoin('leased', 'leased.settlement', 'waiting.id')
    .select(['leased.account', 'leased.index', 'leased.sequence', 'waiting.id'])
    .select(isUnservedWhileOneIsKept.as('is_kept'))
    .orderBy('waiting.position')
    .execute()
  return rows.map(({ id, account, index, sequence, is_kept }) => {
    if (id === null) return { kind: 'claim_lost' }
    if (account === null || index === null) return { kind: is_kept ? 'kept' : 'none_free' }
    return { kind: 'leased', channel: toLeasedChannel({ account, index, sequence }) }
  })
}

interface WaitingRow {
  /** Counts from 1. */
  position: bigint
  /** Null when the claim is no longer this owner's. */
  id: bigint | null
}

/**
 * One row for each claim of the request, without a lock. A subquery instead of a join: without statistics
 * Postgres would read all settlements of the network.
 */
const waitingClaims = ({ network, claims }: LeaseRequest) => sql<WaitingRow>`(
  select asked.position, asked.owner, asked.attempt, (
    select id from settlements
    where network = ${network} and payer = asked.payer and nonce = asked.nonce
      and state = 'claimed' and owner = asked.owner and attempt = asked.attempt) as id
  from rows from (json_to_recordset(${JSON.stringify(claims.map(toRow))}::json)
    as (payer text, nonce text, owner text, attempt integer)) with ordinality
    as asked (payer, nonce, owner, attempt, position))`

const toRow = ({ key, owner, attempt }: ClaimFence) => {
  const { payer, nonce } = key
  return { payer, nonce, owner, attempt }
}

interface OpenRow {
  id: bigint
  owner: string
  payer: string
  pay_to: string
  has_waited: SqlBool
}

/** The waiting claims that still have this owner and attempt once they are locked. */
const lockOpenClaims = ({ keptForMs }: LeaseRequest) => sql<OpenRow>`(
  select id, owner, payer, pay_to, ${hasWaited(keptForMs)} as has_waited from settlements
  where id = any(array(select id from waiting))
    and state = 'claimed'
    and (id, owner, attempt) in (select id, owner, attempt from waiting)
  for update skip locked)`

/** The claims of payers that hold few channels, less those that get a shared one: they come first. */
const smallClaimsLeft = sql<bigint>`(
  select greatest(0, (select count(*) from claim where is_small) - count(*)) from shared)`

const sharedThenKept = sql<FreeChannel>`(
  select network, account, row_number() over (order by is_kept, last_used_at nulls first, index) as place
  from (select *, false as is_kept from shared union all select *, true from kept) as found)`

/** Looks for kept channels only when a claim got none. */
const isUnservedWhileOneIsKept = sql<SqlBool>`
  case when leased.account is null then exists (select from left_kept) end`

const few = ({ network, sponsor }: ChannelPool) => sql<bigint>`(
  select greatest(1, count(*) / ${sql.lit(FEW_ONE_IN)}) from channels
  where network = ${network} and sponsor = ${sponsor} and state = 'active')`

/**
 * A claim's turn is how many channels its payer would hold with it, if all earlier claims of this payer got
 * theirs; alike for its payTo. Settlements that hold a channel have position 0, so they count first.
 */
const claimsInFairOrder = ({ network, sponsor }: ChannelPool) => sql<{
  id: bigint
  owner: string
  place: bigint
  /** With this channel, and those of its earlier claims, its payer holds few. */
  is_small: boolean
}>`(
  select id, owner, payer_turn <= ${few({ network, sponsor })} as is_small,
    row_number() over (order by payer_turn, pay_to_turn, position) as place
  from (
    select *, row_number() over (
      partition by pay_to order by position > 0, payer_turn, position) as pay_to_turn
    from (
      select *, row_number() over (partition by payer order by position) as payer_turn
      from (
        select position, id, open.owner, payer, pay_to from open join waiting using (id)
        union all
        select 0, settlements.id, owner, payer, pay_to
        from channels join settlements on settlements.id = channels.lease_settlement
        where channels.network = ${network} and channels.sponsor = ${sponsor}
          and channels.lease_expires_at > clock_timestamp()
      ) as payments
    ) as in_turn_of_payer
  ) as in_turn
  where position > 0)`
