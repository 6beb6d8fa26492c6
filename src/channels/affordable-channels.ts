import { formatXlm, type Stroops } from '../core/stroops.ts'
import type { AccountState } from '../stellar/rpc.ts'
import { unlockedBalance } from './minimum-balance.ts'

/** What a channel or a settlement authority locks of its sponsor's balance: two base reserves (CAP-33). */
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

/** Accounts to create. */
interface NewAccounts {
  readonly channels: number
  readonly authorities: number
}

/** How many accounts the sponsor can create and still spend what settlements need. */
export function affordableChannels(sponsor: AccountState, budget: ChannelBudget): number {
  const left = unlockedBalance(sponsor) - budget.promised - budget.floor
  return left > 0n ? Number(left / priceOf(budget)) : 0
}

/** Says what the sponsor lacks for these accounts; undefined when it can create them. */
export function shortfall(
  sponsor: AccountState,
  accounts: NewAccounts,
  budget: ChannelBudget,
): string | undefined {
  const count = accounts.channels + accounts.authorities
  const spendable = unlockedBalance(sponsor) - budget.promised
  const price = BigInt(count) * priceOf(budget)
  const lacks = price + budget.floor - spendable
  if (count === 0 || lacks <= 0n) return undefined
  return (
    `sponsor ${sponsor.address} can spend ${formatXlm(spendable > 0n ? spendable : 0n)} of its ` +
    `${formatXlm(sponsor.balance)}: ${listOf(accounts)} ${count === 1 ? 'costs' : 'cost'} ${formatXlm(price)}, most of it locked, and ` +
    `${formatXlm(budget.floor)} must be left to spend. Send it ${formatXlm(lacks)}`
  )
}

/** `3 channels and 1 settlement authority`. */
const listOf = ({ channels, authorities }: NewAccounts): string =>
  [
    ...(channels > 0 ? [`${channels} ${channels === 1 ? 'channel' : 'channels'}`] : []),
    ...(authorities > 0
      ? [`${authorities} settlement ${authorities === 1 ? 'authority' : 'authorities'}`]
      : []),
  ].join(' and ')
