import type { Metrics } from '../../telemetry/metrics.ts'
import type { ServedNetwork } from '../served-network.ts'
import type { HealthSnapshot } from './schema.ts'

type Gauges = Pick<Metrics, 'unfinished' | 'unresolvable' | 'budgetLeft'>

/** Sets the gauges of the store from a snapshot; a gauge whose value was not read keeps the last one. */
export function setHealthGauges(
  { unfinished, unresolvable, budgetLeft }: Gauges,
  { networks }: HealthSnapshot,
  served: readonly Pick<ServedNetwork, 'id' | 'hourlyBudget'>[],
): void {
  for (const { id: network, hourlyBudget } of served) {
    const health = networks[network]
    if (!health || health.settlements.unfinished === null) continue
    unfinished.set({ network }, health.settlements.unfinished)
    unresolvable.set({ network }, health.settlements.unresolvable)
    const { committed1hStroops: committed } = health.sponsor
    if (hourlyBudget === undefined || committed === null) continue
    const left = hourlyBudget - BigInt(committed)
    budgetLeft.set({ network }, left > 0n ? Number(left) : 0)
  }
}
