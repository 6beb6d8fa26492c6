import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { FeePercentile, FeeStats } from '../../../stellar/rpc/rpc.ts'

export interface InclusionFeeOptions {
  readonly floor: Stroops
  /** Maximum bid, however high others bid. */
  readonly cap: Stroops
  readonly percentile: FeePercentile
}

/** The bid per operation: a percentile of recent bids of contract transactions, between floor and cap. */
export function inclusionBid(
  stats: FeeStats | undefined,
  { floor, cap, percentile }: InclusionFeeOptions,
): Stroops {
  const recent = stats?.sorobanInclusionFee[percentile] ?? floor
  if (recent < floor) return floor
  return recent > cap ? cap : recent
}
