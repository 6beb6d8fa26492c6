import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { Informer } from './informer.ts'
import type { KubeMetrics } from './metrics.ts'
import type { Outcome } from './outcome.ts'
import type { Predicate } from './predicates.ts'
import type { Ended } from './reconcile-attempt.ts'
import type { Key, KubeObject, ObjectName } from './resource.ts'
import type { RetryClasses } from './retry-limiter.ts'
import type { Priority } from './work-queue.ts'

export interface ReconcileRequest {
  readonly key: Key
  readonly name: ObjectName
  /** Aborts when the reconcile has lasted too long or the controller has to end at once. */
  readonly signal: AbortSignal
  /** Failures of this key in a row before this time. */
  readonly failures: number
  /** Says controller, namespace, name and reconcileId on each line. */
  readonly logger: Logger
}

export type Reconcile = (request: ReconcileRequest) => Promise<Outcome>

export interface ControllerOptions<T extends KubeObject> {
  /** A label of metrics and logs. */
  readonly name: string
  /** The kind whose keys are reconciled. */
  readonly primary: Informer<T>
  /** Updates of the primary that are worth a reconcile; see `primaryChanged`. */
  readonly when: Predicate<T>
  /** One object, whole: read from caches, compare, write what differs. Never runs twice at once for one key. */
  readonly reconcile: Reconcile
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics | undefined
  /** 4 when absent. */
  readonly workers?: number | undefined
  /** For one reconcile; 30 s when absent. */
  readonly timeoutMs?: number | undefined
  /** How often each object is looked at for drift that no watch tells of, give or take 10 %; 5 minutes when absent, 0 for never. */
  readonly resyncMs?: number | undefined
  readonly retryClasses?: RetryClasses | undefined
  readonly breaker?: CircuitBreaker | undefined
  /** Told of each reconcile's end, for conditions and events of failures. Must not throw. */
  readonly onEnded?: ((key: Key, ended: Ended) => void) | undefined
}

export interface RunSignals {
  /** No more keys are taken; what runs may end within `graceMs`. */
  readonly stop: AbortSignal
  /** Everything aborts at once: the lease is lost. */
  readonly lost?: AbortSignal | undefined
  /** 20 s when absent. */
  readonly graceMs?: number | undefined
}

export interface WatchRoute<S extends KubeObject> {
  readonly when?: Predicate<S> | undefined
  /** Which objects of the primary kind have to be reconciled; see `ownerKeys`. */
  readonly to: (object: S) => readonly Key[]
}

export interface Controller {
  readonly name: string
  /** Reconcile when an object of another kind changes; before `run`. Its cache, too, is waited for. */
  watch<S extends KubeObject>(informer: Informer<S>, route: WatchRoute<S>): void
  enqueue(key: Key, options?: { readonly priority?: Priority; readonly afterMs?: number }): void
  /** Sets the gauges that only time moves. */
  measure(): void
  /** Works from the moment every cache is filled; resolves when all workers have stopped. */
  run(signals: RunSignals): Promise<void>
}
