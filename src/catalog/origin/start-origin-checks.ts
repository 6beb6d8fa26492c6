import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Store } from '../../platform/database/open.ts'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { takeDueCheck } from '../store/checks.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import { checkListing } from './check-listing.ts'

export interface OriginChecksOptions {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
  readonly fetcher: Pick<GuardedFetcher, 'fetch'>
  readonly validator: DeclarationValidator
  /** How often the store is asked for due checks: `ORIGIN_CHECK_INTERVAL_MS`. @default 5,000 */
  readonly everyMs?: number
  /** Checks of this process at a time. @default 4 */
  readonly atOnce?: number
  /** No other process takes a listing for this long; a dead process's lease ends then. @default 30,000 */
  readonly leaseMs?: number
  readonly signal?: AbortSignal
  /** Called after each check that changed what the catalog lists. */
  readonly onChanged?: () => void
}

/** The due checks are looked for as soon as `wake` is called. */
export interface OriginChecks extends AsyncDisposable {
  wake(): void
}

/**
 * Asks resources for their own 402 responses, and publishes, updates, transfers or quarantines their listings by what
 * they answer. All processes share the work through the store: each host is asked by one of them, one request at a time.
 */
export function startOriginChecks(options: OriginChecksOptions): OriginChecks {
  const { store, clock, random, log, fetcher, validator, onChanged } = options
  const { everyMs = 5_000, atOnce = 4, leaseMs = 30_000, signal } = options
  const deps = { db: store.db, clock, random, fetcher, validator }

  const checkDue = async (stop: AbortSignal) => {
    while (!stop.aborted) {
      const taken = await takeDueCheck(store.db, leaseMs)
      if (!taken) return
      const done = await checkListing(deps, taken, stop)
      if (!done) continue
      const { id: listing, network } = taken
      const { code, reason } = done.outcome
      if (done.change) {
        log.info({ listing, network, to: done.change.to, code, reason }, 'Origin changed a listing')
        onChanged?.()
      } else log.debug({ listing, network, code, reason }, 'Origin of a listing checked')
    }
  }
  // Loops of their own, so that a slow origin holds up no other check.
  const loops = Array.from({ length: atOnce }, () =>
    startWakeableLoop({
      clock,
      // Jitter, so that processes and loops that started together do not ask the store together.
      pauseMs: () => Math.round(everyMs * (0.75 + random() / 2)),
      ...(signal && { signal }),
      onError: onBackgroundError(
        options,
        'origin_checks',
        'Could not check the origins of listings',
      ),
      run: checkDue,
    }),
  )
  return {
    wake: () => {
      for (const loop of loops) loop.wake()
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()))
    },
  }
}
