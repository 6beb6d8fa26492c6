import type { FacilitatorDeps } from '../../payments/engine/network/open-network.ts'
import type { ServedNetwork } from '../../payments/engine/network/served-network.ts'
import { CatalogPoller } from '../../payments/health/catalog/catalog-poller.ts'
import { setCatalogGauges, setHealthGauges } from '../../payments/health/health-gauges.ts'
import { HealthMonitor } from '../../payments/health/health-monitor.ts'
import { CounterWriter } from '../../payments/health/network/counter-writer.ts'
import { hourCountWriter } from '../../payments/store/hour-counts.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'

interface WatchOptions {
  /** Version of the build. @default 'dev' */
  readonly version?: string | undefined
  /** Whether to report the catalog. */
  readonly hasCatalog: boolean
}

/** The facilitator's dependencies that `watchHealth` needs; `svc catalog` has no others. */
type WatchDeps = Pick<FacilitatorDeps, 'store' | 'clock' | 'log' | 'metrics' | 'timings' | 'signal'>

/** Starts both in the background, until the signal aborts. */
export function watchHealth(
  networks: readonly ServedNetwork[],
  { store, clock, log, metrics, timings, signal }: WatchDeps,
  { version = 'dev', hasCatalog }: WatchOptions,
) {
  const onErrorOf = (task: string, network?: ServedNetwork) =>
    onBackgroundError({ log, metrics }, task, 'Could not update /health', { network: network?.id })
  const catalog = hasCatalog
    ? new CatalogPoller({
        db: store.db,
        clock,
        readWithinMs: timings.readWithinMs,
        onError: onErrorOf('catalog_health'),
      })
    : undefined
  const health = new HealthMonitor({
    networks,
    catalog,
    db: store.db,
    version,
    clock,
    everyMs: timings.monitorMs,
    readWithinMs: timings.readWithinMs,
    signal,
    onError: (error, network) => onErrorOf('health', network)(error),
    onPolled: (snapshot) => {
      setHealthGauges(metrics, snapshot, networks)
      if (catalog) setCatalogGauges(metrics, catalog.facts)
    },
  })
  health.start()
  const counterWriter = new CounterWriter({
    counters: networks.map(({ counters }) => counters),
    addHourCounts: hourCountWriter(store.db),
    clock,
    everyMs: timings.countersMs,
    signal,
    onError: onErrorOf('tally'),
  })
  counterWriter.start()
  return { health, counterWriter }
}
