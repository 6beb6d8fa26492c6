import type { Clock } from '../core/clock.ts'
import { UsageMeter } from '../facilitator/usage/usage-meter.ts'
import type { Store } from '../store/open.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface MeterParts {
  readonly store: Pick<Store, 'usage'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** The meter of this process, at work. `writer` names the process. */
export function meterUsage({ store, clock, log, metrics }: MeterParts, writer: string): UsageMeter {
  const meter = new UsageMeter({
    usage: store.usage,
    clock,
    writer,
    onError: (error) => {
      metrics.backgroundErrors.inc({ task: 'usage' })
      log.warn({ err: error }, 'Could not write usage')
    },
    onLost: (requests) => log.error({ requests }, 'Usage was not counted: there was no room'),
  })
  meter.start()
  return meter
}
