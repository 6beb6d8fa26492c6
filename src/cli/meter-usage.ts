import type { Clock } from '../core/clock.ts'
import { UsageMeter } from '../facilitator/usage/usage-meter.ts'
import type { Store } from '../store/open.ts'
import { addUsage } from '../store/usage/add.ts'
import { countPendingUsage } from '../store/usage/count-pending.ts'
import { deleteOldUsage } from '../store/usage/delete-old.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface MeterParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** Starts the usage meter. `writer` identifies this process in the metering records. */
export function meterUsage({ store, clock, log, metrics }: MeterParts, writer: string): UsageMeter {
  const meter = new UsageMeter({
    usage: {
      add: (batch) => addUsage(store.db, batch),
      countPending: (key) => countPendingUsage(store.db, key),
      deleteOld: (keptDays) => deleteOldUsage(store.db, keptDays),
    },
    clock,
    writer,
    onError: (error) => {
      metrics.backgroundErrors.inc({ task: 'usage' })
      log.warn({ err: error }, 'Could not write usage')
    },
    onLost: (requests) => log.error({ requests }, 'Usage was not counted: the buffer is full'),
  })
  meter.start()
  return meter
}
