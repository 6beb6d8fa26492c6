import { warningCodes } from '../../diagnosis/problems/names.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { PolledCatalog } from './catalog/catalog-poller.ts'
import type { HealthSnapshot } from './schema.ts'

type Gauges = Pick<
  Metrics,
  | 'unfinished'
  | 'unresolvable'
  | 'budgetLeft'
  | 'healthWarnings'
  | 'catalogListings'
  | 'catalogLeftOut'
  | 'catalogOutbox'
  | 'catalogOutboxAge'
  | 'searchIndexBehind'
>

/** Sets the gauges of the store from a snapshot; a gauge whose value was not read keeps the last one. */
export function setHealthGauges(
  gauges: Gauges,
  { networks, warnings }: HealthSnapshot,
  served: readonly Pick<ServedNetwork, 'id' | 'hourlyBudget'>[],
): void {
  const { unfinished, unresolvable, budgetLeft, healthWarnings } = gauges
  for (const code of warningCodes) {
    healthWarnings.set({ code }, warnings.filter((warning) => warning.code === code).length)
  }
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

/** Sets the gauges of the catalog, which keep the last value while it cannot be read. */
export function setCatalogGauges(gauges: Gauges, { misses, stats }: PolledCatalog): void {
  if (!stats || misses > 0) return
  for (const [state, count] of Object.entries(stats.listings)) {
    gauges.catalogListings.set({ state }, count)
  }
  for (const [reason, count] of Object.entries(stats.leftOut)) {
    gauges.catalogLeftOut.set({ reason }, count)
  }
  gauges.catalogOutbox.set(stats.outbox.pending)
  gauges.catalogOutboxAge.set(stats.outbox.oldestSeconds ?? 0)
  gauges.searchIndexBehind.set(stats.behindSeconds)
}
