import { type Selectable, type SqlBool, sql } from 'kysely'
import type { ChannelsTable } from '../schema.ts'

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

/**
 * `where` clause: the channel can be leased to the claim whose row id is `claim.id`. An expired
 * lease frees a channel only if no unfinished settlement uses it; a claim may have its own back.
 */
export const isFreeForClaim = sql<SqlBool>`channels.state = 'active'
  and (channels.lease_expires_at is null
    or channels.lease_expires_at <= clock_timestamp()
    or channels.lease_settlement = claim.id)
  and not exists (
    select from settlements as holder
    where holder.network = channels.network and holder.channel = channels.account
      and holder.state = 'submitted')`
