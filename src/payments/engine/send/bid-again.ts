import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { settlementFee } from '../../../stellar/transactions/settlement-envelope.ts'
import type { Quote } from '../../checks/check-simulation.ts'

export interface BidLimits {
  /** The highest bid per operation. */
  readonly cap: Stroops
  /** The most that a settlement may cost. */
  readonly maxFee: Stroops
}

/**
 * A quote with a higher bid, after the network refused a settlement for its fee: at least twice the bid, so that a
 * few rounds reach any bid, and at least what the network asks for. Undefined when the limits allow no bid that is
 * higher and that the network would accept.
 *
 * @param feeWanted the whole fee that the network asks for, if it said
 */
export function bidAgain(
  quote: Quote,
  feeWanted: Stroops | undefined,
  { cap, maxFee }: BidLimits,
): Quote | undefined {
  const { inclusionFee: bid, resourceFee } = quote
  const asked = perOperation((feeWanted ?? 0n) - resourceFee)
  const highest = least(cap, (maxFee - resourceFee) / 2n)
  if (highest <= bid || asked > highest) return undefined
  const doubled = bid * 2n
  const inclusionFee = asStroops(least(highest, doubled > asked ? doubled : asked))
  return { ...quote, inclusionFee, totalFee: settlementFee(inclusionFee, resourceFee) }
}

/** The bid for each of the two operations of a fee bump, rounded up; 0 for a fee below the resource fee. */
const perOperation = (inclusion: bigint): bigint => (inclusion > 0n ? (inclusion + 1n) / 2n : 0n)

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)
