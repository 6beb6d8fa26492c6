import type { Clock } from '../core/clock.ts'
import type { Store } from '../store/open.ts'
import { abandonExpiredClaims } from '../store/settlements/abandon-expired-claims.ts'
import { takeDueSettlements } from '../store/settlements/due.ts'
import { settlementId } from '../store/settlements/settlement.ts'
import { inLogScope } from '../telemetry/log-scope.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Concluder } from './conclude.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'

/** More than that in one look, and the replicas would not share the work. */
const AT_ONCE = 50

export interface ReconcilerOptions {
  readonly networks: ReadonlyMap<string, ServedNetwork>
  readonly store: Store
  readonly concluder: Concluder
  readonly clock: Clock
  readonly timings: Timings
  readonly everyMs: number
  readonly metrics: Metrics
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Picks up what a dead process left behind: gives its claims back, and follows its recorded
 * settlements to their end. Any number of replicas share the work through the store.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Looks at once and then regularly, in the background, until the signal aborts. */
  start(): void {
    void this.#run()
  }

  async #run(): Promise<void> {
    const { clock, everyMs, signal } = this.#options
    while (!signal.aborted) {
      await this.once()
      await clock.sleep(everyMs, signal).catch(() => undefined)
    }
  }

  /** Takes what is due and begins to follow it; never throws. */
  async once(): Promise<void> {
    const { networks, store, metrics, log } = this.#options
    try {
      const abandoned = await abandonExpiredClaims(store.db)
      if (abandoned > 0) log.info({ abandoned }, 'Claims of dead owners given back')
      for (const network of networks.values()) await this.#takeUp(network)
    } catch (error) {
      metrics.backgroundErrors.inc({ task: 'reconcile' })
      log.warn({ err: error }, 'Could not reconcile')
    }
  }

  async #takeUp(network: ServedNetwork): Promise<void> {
    const { store, timings, concluder, log } = this.#options
    const due = await takeDueSettlements(store.db, {
      network: network.id,
      limit: AT_ONCE,
      forMs: timings.followedForMs,
    })
    for (const { key, attempt, recorded } of due) {
      if (!recorded || concluder.follows(recorded.txHash)) continue
      const submitted = { key, attempt, recorded, isTakenUp: true }
      inLogScope({ settlement: settlementId(key) }, () => {
        log.info({ ...key, hash: recorded.txHash }, 'Settlement taken up')
        // Rejects at a stop only; the next run takes it up again.
        concluder.conclude(network, submitted).catch(() => undefined)
      })
    }
  }
}
