import type { SponsorBalance } from '../../../diagnosis/facts/facts.ts'
import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import { serviceFaults } from '../../causes/service-faults.ts'
import { spendableOf } from '../../channels/minimum-balance.ts'

export interface MeasuredNetwork {
  readonly id: NetworkId
  readonly sponsorReserve: Stroops
  readonly maxTxFeeStroops: Stroops
}

/**
 * Starts the series that alerts compute rates of with 0. A counter that begins with its first event has no increase
 * to see, and an alert on it cannot fire for that event.
 */
export function startSeries(
  metrics: Metrics,
  { id: network, sponsorReserve, maxTxFeeStroops }: MeasuredNetwork,
): void {
  metrics.backgroundErrors.inc({ task: 'reconcile' }, 0)
  metrics.settlements.inc({ network, outcome: 'success', reason: '' }, 0)
  for (const reason of serviceFaults) metrics.settlementFailures.inc({ network, reason }, 0)
  const minimum = sponsorReserve > maxTxFeeStroops ? sponsorReserve : maxTxFeeStroops
  metrics.sponsorMinimum.set({ network }, Number(minimum))
}

/** A sponsor that is not on the ledger has nothing: without a sample no alert would see that. */
export function showBalance(
  metrics: Pick<Metrics, 'sponsorBalance' | 'sponsorSpendable'>,
  network: NetworkId,
  balance: Exclude<SponsorBalance, { kind: 'unknown' }>,
): void {
  const isKnown = balance.kind === 'known'
  metrics.sponsorBalance.set({ network }, isKnown ? Number(balance.stroops) : 0)
  metrics.sponsorSpendable.set({ network }, isKnown ? Number(spendableOf(balance)) : 0)
}
