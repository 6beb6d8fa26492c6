import { startBackgroundLoop } from '../../../platform/core/time/background-loop.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import { onBackgroundError } from '../../../platform/telemetry/background-error.ts'
import { inLogScope } from '../../../platform/telemetry/logs/log-scope.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import { abandonExpiredClaims } from '../../store/settlements/claim/abandon-expired-claims.ts'
import { takeDueSettlements } from '../../store/settlements/due.ts'
import { type Settlement, settlementId } from '../../store/settlements/settlement.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import type { Timings } from '../timings.ts'
import type { SettlementFollower } from './settlement-follower.ts'

/** Settlements taken over in one statement. */
const TAKEN_AT_ONCE = 50
/**
 * A process that follows this many takes over no more: each costs look-ups and store statements every few seconds.
 * The rest stay due, for another replica or a later round.
 */
const MAX_FOLLOWED = 1_000

export interface ReconcilerOptions {
  readonly networks: ReadonlyMap<string, ServedNetwork>
  readonly store: Store
  readonly follower: Pick<SettlementFollower, 'follow' | 'isFollowing' | 'followed' | 'restoreLost'>
  readonly clock: Clock
  readonly timings: Timings
  readonly everyMs: number
  readonly metrics: Metrics
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Takes over the work of processes that died: abandons their claims and follows their recorded
 * settlements. Looks unresolvable settlements up again. Stores again what a failover of the database has lost. Any number of replicas share this work through the store.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Runs a round now and then regularly, in the background, until the signal aborts. */
  start(): void {
    const { everyMs: pauseMs, clock, signal } = this.#options
    const onError = (error: unknown) => this.#onError(error)
    startBackgroundLoop({ run: () => this.#reconcile(), pauseMs, clock, onError, signal })
  }

  /** Runs one round: starts to follow the settlements that are due. Never rejects. */
  once(): Promise<void> {
    return this.#reconcile().catch((error: unknown) => this.#onError(error))
  }

  async #reconcile(): Promise<void> {
    const { networks, store, follower, log } = this.#options
    // Whatever keeps the store from taking these, other settlements are still due.
    await follower.restoreLost().catch((error: unknown) => this.#onError(error))
    const abandoned = await abandonExpiredClaims(store.db)
    if (abandoned > 0) {
      log.info({ abandoned }, 'Abandoned expired claims')
      for (const { id, channelQueue } of networks.values()) {
        channelQueue.freed()
        store.notifyFreedChannels(id)
      }
    }
    for (const network of networks.values()) await this.#takeOver(network)
  }

  #onError(error: unknown): void {
    onBackgroundError(this.#options, 'reconcile', 'Could not reconcile')(error)
  }

  async #takeOver(network: ServedNetwork): Promise<void> {
    const { store, timings, follower, signal } = this.#options
    const request = { network: network.id, limit: TAKEN_AT_ONCE, forMs: timings.followedForMs }
    while (follower.followed < MAX_FOLLOWED && !signal.aborted) {
      const due = await takeDueSettlements(store.db, request)
      for (const settlement of due) this.#follow(network, settlement)
      if (due.length < TAKEN_AT_ONCE) return
    }
  }

  #follow(network: ServedNetwork, settlement: Settlement): void {
    const { follower, log } = this.#options
    const { key, recorded } = settlement
    if (!recorded || follower.isFollowing(recorded.txHash)) return
    const submitted = { ...settlement, recorded, isTakenOver: true }
    inLogScope({ settlement: settlementId(key) }, () => {
      // An unresolvable one has no process that died, and is due again and again.
      const level = settlement.unresolvableBecause === undefined ? 'info' : 'debug'
      log[level]({ ...key, hash: recorded.txHash }, 'Settlement taken over')
      // Rejects only when this process stops; another one takes the settlement over.
      follower.follow(network, submitted).catch(() => undefined)
    })
  }
}
