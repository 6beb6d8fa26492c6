import {
  deleteOldCatalogCounts,
  deleteOldOutcomes,
  OUTCOMES_DELETED_AT_ONCE,
} from '../../../catalog/store/delete-old-outcomes.ts'
import { startBackgroundLoop } from '../../../platform/core/time/background-loop.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import { onBackgroundError } from '../../../platform/telemetry/background-error.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import {
  DELETED_AT_ONCE,
  deleteOldIdentifiers,
  deleteOldSettlements,
} from '../../store/settlements/delete-old.ts'
import type { ServedNetwork } from '../network/served-network.ts'

export interface RetentionOptions {
  readonly networks: Iterable<Pick<ServedNetwork, 'id' | 'rpc'>>
  readonly store: Pick<Store, 'db'>
  /** Settlements that ended longer ago are deleted; absent: none is. */
  readonly keptDays: number | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

const ROUND_EVERY_MS = 600_000
/** The pause between two statements: at most 2,000 rows a second, so that payments and vacuum keep up. */
const STEP_PAUSE_MS = 250

/**
 * Deletes old settlements of each network in the background until the signal aborts, the ids of payments, and what the catalog keeps of
 * them and of the last hours. All replicas share the work.
 */
export function startRetention(options: RetentionOptions): void {
  const { networks, store, keptDays, clock, log, signal } = options
  startCatalogRetention(options)
  if (keptDays === undefined) return
  for (const { id: network, rpc } of networks) {
    const run = async () => {
      const { sequence: latestLedger } = await rpc.latestLedger(signal)
      let deleted = 0
      for (;;) {
        const count = await deleteOldSettlements(store.db, { network, keptDays, latestLedger })
        deleted += count
        if (count < DELETED_AT_ONCE) break
        await clock.sleep(STEP_PAUSE_MS, signal)
      }
      while ((await deleteOldIdentifiers(store.db, keptDays)) === DELETED_AT_ONCE) {
        await clock.sleep(STEP_PAUSE_MS, signal)
      }
      if (deleted > 0) log.info({ network, deleted }, 'Deleted old settlements')
    }
    const message = 'Could not delete old settlements'
    const onError = onBackgroundError(options, 'retention', message, { network })
    startBackgroundLoop({ run, pauseMs: ROUND_EVERY_MS, clock, onError, signal })
  }
}

/** Runs also while the catalog is off: it may have been on. */
function startCatalogRetention(options: RetentionOptions) {
  const { store, keptDays, clock, signal } = options
  const run = async () => {
    await deleteOldCatalogCounts(store.db)
    if (keptDays === undefined) return
    while ((await deleteOldOutcomes(store.db, keptDays)) === OUTCOMES_DELETED_AT_ONCE) {
      await clock.sleep(STEP_PAUSE_MS, signal)
    }
  }
  const message = 'Could not delete old rows of the catalog'
  const onError = onBackgroundError(options, 'retention', message)
  startBackgroundLoop({ run, pauseMs: ROUND_EVERY_MS, clock, onError, signal })
}
