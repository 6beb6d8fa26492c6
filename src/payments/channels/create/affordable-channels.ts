import {
  formatXlm,
  roundedXlm,
  type Stroops,
  tenthsUp,
} from '../../../platform/core/amounts/stroops.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { fundsOf, spendableOf } from '../minimum-balance.ts'

/** A channel or a settlement authority locks this part of its sponsor's balance: two base reserves (CAP-33). */
export const CHANNEL_RESERVE = 10_000_000n
/** The mark of a sponsor locks this: one base reserve. */
export const MARK_RESERVE = 5_000_000n
/** Operations of the transaction that creates a channel. */
export const OPERATIONS_PER_CHANNEL = 3

export interface ChannelBudget {
  /** The sum that the sponsor must be able to spend afterwards. */
  readonly floor: Stroops
  /** Maximum fees of the sponsor's settlements under way. */
  readonly promised: Stroops
  /** Bid per operation. */
  readonly inclusionFee: Stroops
}

const priceOf = ({ inclusionFee }: ChannelBudget): bigint =>
  CHANNEL_RESERVE + BigInt(OPERATIONS_PER_CHANNEL) * inclusionFee

/** The accounts and the mark that are to be created. */
interface NewEntries {
  readonly channels: number
  readonly authorities: number
  /** Whether the sponsor gets its mark. */
  readonly mark?: boolean | undefined
}

/** The cost of the mark: its reserve and its operation. */
const markPrice = (mark: boolean | undefined, { inclusionFee }: ChannelBudget): bigint =>
  mark ? MARK_RESERVE + inclusionFee : 0n

/**
 * How many accounts the sponsor can create with one transaction and still spend what settlements need. A transaction whose source is a
 * channel has a fee bump, which counts as an operation.
 */
export function affordableChannels(
  sponsor: AccountState,
  budget: ChannelBudget,
  mark?: boolean,
): number {
  const spendable = spendableOf(fundsOf(sponsor, budget.promised))
  const left = spendable - budget.floor - budget.inclusionFee - markPrice(mark, budget)
  return left > 0n ? Number(left / priceOf(budget)) : 0
}

/** The reserves and fees of all new entries together. */
function costOf(entries: NewEntries, budget: ChannelBudget): bigint {
  const count = entries.channels + entries.authorities
  const transactions = Math.max(1, Math.ceil(count / CHANNELS_PER_ENVELOPE))
  return (
    BigInt(count) * priceOf(budget) +
    BigInt(transactions) * budget.inclusionFee +
    markPrice(entries.mark, budget)
  )
}

/** Says what the sponsor lacks for these entries, and what to send it; undefined when it can create them. */
export function shortfall(
  sponsor: AccountState,
  entries: NewEntries,
  budget: ChannelBudget,
): string | undefined {
  const count = entries.channels + entries.authorities
  if (count === 0 && !entries.mark) return undefined
  const spendable = spendableOf(fundsOf(sponsor, budget.promised))
  const price = costOf(entries, budget)
  const lacks = price + budget.floor - spendable
  if (lacks <= 0n) return undefined
  return (
    `sponsor ${sponsor.address} can spend ${formatXlm(roundedXlm(spendable))} of its ` +
    `${formatXlm(roundedXlm(sponsor.balance))}: ${listOf(entries)} ${count === 1 ? 'costs' : 'cost'} ` +
    `${formatXlm(tenthsUp(price))}, most of it locked, and ${formatXlm(budget.floor)} must be left to spend: ` +
    `send ${formatXlm(tenthsUp(lacks))} to ${sponsor.address}`
  )
}

/** Says what the sponsor lacks for a transaction that only costs its fee; undefined when it can pay it. */
export function feeShortfall(
  sponsor: AccountState,
  fee: bigint,
  budget: Pick<ChannelBudget, 'promised'>,
): string | undefined {
  const spendable = spendableOf(fundsOf(sponsor, budget.promised))
  if (spendable >= fee) return undefined
  return (
    `sponsor ${sponsor.address} can spend ${formatXlm(roundedXlm(spendable))} of its ` +
    `${formatXlm(roundedXlm(sponsor.balance))}, too little for the fee of a transaction that merges channels: ` +
    `send ${formatXlm(tenthsUp(fee - spendable))} to ${sponsor.address}`
  )
}

/** `3 channels and 1 settlement authority`. */
const listOf = ({ channels, authorities }: NewEntries): string =>
  [
    ...(channels > 0 ? [`${channels} ${channels === 1 ? 'channel' : 'channels'}`] : []),
    ...(authorities > 0
      ? [`${authorities} settlement ${authorities === 1 ? 'authority' : 'authorities'}`]
      : []),
    ...(channels + authorities === 0 ? ['the mark on the ledger'] : []),
  ].join(' and ')
