import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Store } from '../../platform/database/open.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { forgetOldTurns } from '../store/checks.ts'
import { type ListedBounds, refreshLeftOut } from '../store/left-out.ts'

/**
 * The contents of 10,000 honest listings, of 3 KiB each. What a listing takes in memory is at most about its bytes, since a schema stays in the store,
 * and the search index has bounds of its own.
 */
export const LISTED: ListedBounds = { bytes: 32 * 1_048_576, unpaidDays: 90 }

/** Over a minute the quotas of new listings let in few: the bound is exceeded by no more. */
const EVERY_MS = 60_000

export interface BoundsOptions {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
  /** @default `LISTED` */
  readonly bounds?: ListedBounds
  readonly signal?: AbortSignal
  /** Called when listings were left out, or are listed again. */
  readonly onChanged?: () => void
}

/** Keeps what is listed within its bounds, and forgets whose turn it was for a check of an origin. */
export const startBounds = (options: BoundsOptions): WakeableLoop => {
  const { store, clock, log, metrics, bounds = LISTED, signal, onChanged } = options
  return startWakeableLoop({
    clock,
    pauseMs: EVERY_MS,
    ...(signal && { signal }),
    onError: (error) => {
      metrics.backgroundErrors.inc({ task: 'catalog_bounds' })
      log.warn({ err: error }, 'Could not keep the listings within their bounds')
    },
    run: async () => {
      await forgetOldTurns(store.db)
      const listings = await refreshLeftOut(store.db, bounds)
      if (listings === 0) return
      log.info({ listings }, 'Listings were left out of the catalog, or are in it again')
      onChanged?.()
    },
  })
}
