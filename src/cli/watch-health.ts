import { CounterWriter } from '../facilitator/health/counter-writer.ts'
import { setHealthGauges } from '../facilitator/health/health-gauges.ts'
import { HealthMonitor } from '../facilitator/health/health-monitor.ts'
import type { FacilitatorDeps } from '../facilitator/open-network.ts'
import type { ServedNetwork } from '../facilitator/served-network.ts'
import { hourCountWriter } from '../store/hour-counts.ts'

/** Starts both in the background, until the signal aborts. */
export function watchHealth(
  networks: readonly ServedNetwork[],
  { store, clock, log, metrics, timings, signal }: FacilitatorDeps,
  version = 'dev',
) {
  const onErrorOf = (task: string, error: unknown, network?: ServedNetwork) => {
    metrics.backgroundErrors.inc({ task })
    log.warn({ err: error, network: network?.id }, 'Could not update /health')
  }
  const health = new HealthMonitor({
    networks,
    db: store.db,
    version,
    clock,
    everyMs: timings.monitorMs,
    readWithinMs: timings.readWithinMs,
    signal,
    onError: (error, network) => onErrorOf('health', error, network),
    onPolled: (snapshot) => setHealthGauges(metrics, snapshot, networks),
  })
  health.start()
  const counterWriter = new CounterWriter({
    counters: networks.map(({ counters }) => counters),
    addHourCounts: hourCountWriter(store.db),
    clock,
    everyMs: timings.countersMs,
    signal,
    onError: (error) => onErrorOf('tally', error),
  })
  counterWriter.start()
  return { health, counterWriter }
}
