import { formatXlm, type Stroops } from '../core/stroops.ts'
import type { AccountState } from '../stellar/rpc.ts'
import { unlockedBalance } from './minimum-balance.ts'

/** What a channel locks of its sponsor's balance: two base reserves (CAP-33). */
export const CHANNEL_RESERVE = 10_000_000n
/** Of the transaction that creates it. */
export const OPERATIONS_PER_CHANNEL = 3

export interface ChannelBudget {
  /** What the sponsor must be able to spend afterwards. */
  readonly floor: Stroops
  /** Maximum fees of the sponsor's settlements under way. */
  readonly promised: Stroops
  /** Bid per operation. */
  readonly inclusionFee: Stroops
}

const priceOf = ({ inclusionFee }: ChannelBudget): bigint =>
  CHANNEL_RESERVE + BigInt(OPERATIONS_PER_CHANNEL) * inclusionFee

/** How many channels the sponsor can create and still spend what settlements need. */
export function affordableChannels(sponsor: AccountState, budget: ChannelBudget): number {
  const left = unlockedBalance(sponsor) - budget.promised - budget.floor
  return left > 0n ? Number(left / priceOf(budget)) : 0
}

/** Says what the sponsor lacks for `count` channels; undefined when it can create them. */
export function shortfall(
  sponsor: AccountState,
  count: number,
  budget: ChannelBudget,
): string | undefined {
  const spendable = unlockedBalance(sponsor) - budget.promised
  const price = BigInt(count) * priceOf(budget)
  const lacks = price + budget.floor - spendable
  if (count === 0 || lacks <= 0n) return undefined
  const channels = count === 1 ? '1 channel' : `${count} channels`
  return (
    `sponsor ${sponsor.address} can spend ${formatXlm(spendable > 0n ? spendable : 0n)} of its ` +
    `${formatXlm(sponsor.balance)}: ${channels} cost ${formatXlm(price)}, most of it locked, and ` +
    `${formatXlm(budget.floor)} must be left to spend. Send it ${formatXlm(lacks)}`
  )
}
