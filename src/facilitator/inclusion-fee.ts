import type { Stroops } from '../core/stroops.ts'
import type { FeePercentile, FeeStats } from '../stellar/rpc.ts'

export interface InclusionFeeOptions {
  readonly floor: Stroops
  /** Never bid more than this, whatever the network asks. */
  readonly cap: Stroops
  readonly percentile: FeePercentile
}

/** What to bid per operation: what recent contract transactions bid, between floor and cap. */
export function inclusionBid(
  stats: FeeStats | undefined,
  { floor, cap, percentile }: InclusionFeeOptions,
): Stroops {
  const recent = stats?.sorobanInclusionFee[percentile] ?? floor
  if (recent < floor) return floor
  return recent > cap ? cap : recent
}
