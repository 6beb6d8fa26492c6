import { addUsage } from '../../payments/store/usage/add.ts'
import { countPendingUsage } from '../../payments/store/usage/count-pending.ts'
import { deleteOldUsage } from '../../payments/store/usage/delete-old.ts'
import { noteKeyUses } from '../../payments/store/usage/key-uses.ts'
import { KeyUses } from '../../payments/usage/key-uses.ts'
import { UsageMeter } from '../../payments/usage/usage-meter.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import type { ApiKeys } from '../../platform/http/access/api-keys.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'

export interface MeterParts {
  readonly store: Pick<Store, 'db'>
  readonly keys: Pick<ApiKeys, 'takeUses'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** Starts the usage meter. `writer` identifies this process in the metering records. */
export function meterUsage(
  { store, keys, clock, log, metrics }: MeterParts,
  writer: string,
): UsageMeter {
  const meter = new UsageMeter({
    usage: {
      add: (batch) => addUsage(store.db, batch),
      countPending: (key) => countPendingUsage(store.db, key),
      deleteOld: (keptDays) => deleteOldUsage(store.db, keptDays),
    },
    keyUses: new KeyUses({
      keys,
      clock,
      note: (uses) => noteKeyUses(store.db, uses),
      onLost: (lost) => {
        metrics.usageLost.inc({ kind: 'key_uses' }, lost)
        log.error({ keys: lost }, 'Last uses of API keys are not written: the buffer is full')
      },
    }),
    clock,
    writer,
    onError: onBackgroundError({ log, metrics }, 'usage', 'Could not write usage'),
    onLost: (requests) => {
      metrics.usageLost.inc({ kind: 'requests' }, requests)
      log.error({ requests }, 'Usage was not counted: the buffer is full')
    },
  })
  meter.start()
  return meter
}
