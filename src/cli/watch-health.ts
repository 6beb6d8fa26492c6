import { HealthMonitor } from '../facilitator/health/health-monitor.ts'
import { showHealth } from '../facilitator/health/show-health.ts'
import { TallyWriter } from '../facilitator/health/tally-writer.ts'
import type { Surroundings } from '../facilitator/open-network.ts'
import type { ServedNetwork } from '../facilitator/served-network.ts'
import { hourCountWriter } from '../store/hour-counts.ts'

/** Both go on in the background until the signal aborts; what was counted last is written by then. */
export function watchHealth(
  networks: readonly ServedNetwork[],
  { store, clock, log, metrics, timings, signal }: Surroundings,
  version = 'dev',
) {
  const failing = (task: string, error: unknown, network?: ServedNetwork) => {
    metrics.backgroundErrors.inc({ task })
    log.warn({ err: error, network: network?.id }, 'Could not keep up what /health tells')
  }
  const health = new HealthMonitor({
    networks,
    db: store.db,
    version,
    clock,
    everyMs: timings.monitorMs,
    readWithinMs: timings.readWithinMs,
    signal,
    onError: (error, network) => failing('health', error, network),
    onPolled: (snapshot) => showHealth(metrics, snapshot, networks),
  })
  health.start()
  const tallies = new TallyWriter({
    tallies: networks.map(({ tally }) => tally),
    addHourCounts: hourCountWriter(store.db),
    clock,
    everyMs: timings.tallyMs,
    signal,
    onError: (error) => failing('tally', error),
  })
  tallies.start()
  return { health, tallies }
}
