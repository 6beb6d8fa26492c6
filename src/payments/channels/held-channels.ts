import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { PoolChannel } from '../store/pools/pool-channels.ts'

/** The channels that cannot be merged yet, counted by what holds them. */
export interface HeldChannels {
  /** Channels that settlements use, those of unresolvable settlements included. */
  readonly bySettlements: number
  /** Channels leased for transactions that create or merge channels, or send XLM. */
  readonly byTransactions: number
  /** When the last lease of these transactions ends by itself, Unix ms; undefined without one. */
  readonly until: number | undefined
}

export function heldOf(channels: readonly PoolChannel[]): HeldChannels {
  const held = channels.filter(({ isLeased, heldBy }) => isLeased || heldBy !== undefined)
  const ends = held.flatMap(({ transactionUntil }) => transactionUntil ?? [])
  return {
    bySettlements: held.length - ends.length,
    byTransactions: ends.length,
    until: ends.length > 0 ? Math.max(...ends) : undefined,
  }
}

const MAX_NAMED = 20

/** The advice to an administrator about channels that are held by settlements whose outcome can no longer be proven; undefined without one. */
export function stuckSentence(
  channels: readonly Pick<PoolChannel, 'heldBy'>[],
): string | undefined {
  const stuck = channels.flatMap(({ heldBy }) => heldBy ?? [])
  return stuck.length > 0
    ? `the outcome of settlement ${stuck.slice(0, MAX_NAMED).join(', ')} is unknown: end it with svc settlements resolve`
    : undefined
}

/** `settlements still use 2 channels`; undefined when nothing holds a channel. */
export function holdersSentence(held: HeldChannels): string | undefined {
  const { bySettlements, byTransactions, until } = held
  const parts = [
    bySettlements > 0 && `settlements still use ${many(bySettlements)}`,
    until !== undefined && leasesSentence(byTransactions, until),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join('; ') : undefined
}

/** A process that runs ends the lease after its transaction. Other processes cannot see whether it still runs. */
const leasesSentence = (count: number, until: number): string =>
  `transactions of the sponsor lease ${many(count)}, until ${isoTime(until)} if their process has stopped`

const many = (count: number): string => `${count} ${count === 1 ? 'channel' : 'channels'}`
