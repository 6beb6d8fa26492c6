import type { NetworkId } from '../../../platform/core/caip2.ts'
import { startBackgroundLoop } from '../../../platform/core/time/background-loop.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import type { Store } from '../../../platform/database/open.ts'
import { onBackgroundError } from '../../../platform/telemetry/background-error.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import {
  deleteHeartbeats,
  type ServedSponsor,
  type TermsReport,
  writeHeartbeats,
} from '../../store/replica-heartbeats.ts'
import type { Timings } from '../timings.ts'

export interface HeartbeatOptions {
  /** The `owner` of this process's settlements. */
  readonly replica: string
  readonly sponsors: readonly ServedSponsor[]
  /** The facts of the terms of a network, as known by now. */
  readonly termsOf: (network: NetworkId) => TermsReport | undefined
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly timings: Pick<Timings, 'heartbeatMs' | 'stopWaitMs'>
}

/**
 * Writes to the store that this process is alive, now and every ten seconds, so that `svc retire` refuses beside it, and what it knows
 * of its terms, for the operator.
 * Disposing of it takes that back. Payments do not depend on it: an error is logged, and the next heartbeat follows.
 */
export function startHeartbeats(options: HeartbeatOptions): AsyncDisposable {
  const { replica, sponsors, termsOf, store, clock, timings } = options
  const message = 'Could not write to the store that this replica is alive'
  const onError = onBackgroundError(options, 'heartbeat', message)
  const loop = startBackgroundLoop({
    run: () =>
      writeHeartbeats(
        store.db,
        replica,
        sponsors.map((each) => ({ ...each, terms: termsOf(each.network) })),
      ),
    pauseMs: timings.heartbeatMs,
    clock,
    onError,
  })
  const takeBack = async () => {
    // First the loop: a heartbeat on its way would be written after the deletion.
    await loop[Symbol.asyncDispose]()
    await deleteHeartbeats(store.db, replica)
  }
  return {
    [Symbol.asyncDispose]: () =>
      withTimeLimit({ clock, ms: timings.stopWaitMs }, takeBack).catch(onError),
  }
}
