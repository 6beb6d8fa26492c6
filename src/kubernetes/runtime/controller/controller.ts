import { randomUUID } from 'node:crypto'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Informer } from '../cache/informer.ts'
import { isKubeError } from '../client/kube-error.ts'
import type { Logger } from '../logger.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import { type Key, type KubeObject, keyOf, nameOf, type ObjectName } from '../objects/resource.ts'
import { jittered } from '../time/backoff.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import type { Outcome } from './outcome.ts'
import type { Predicate } from './predicates.ts'
import { WorkQueue } from './queue/work-queue.ts'
import { type Attempt, type Attempted, attempt } from './reconcile-attempt.ts'
import { RetryLimiter, type RetryLimits } from './retry-limiter.ts'
import { combineSignals, type RunSignals } from './run-signals.ts'

export interface ReconcileRequest {
  readonly key: Key
  readonly name: ObjectName
  /** Aborts at the time limit of a reconcile, or when the controller has to end at once. */
  readonly signal: AbortSignal
  /** Failures of this key in a row before this reconcile. */
  readonly failures: number
  /** Adds controller, namespace, name and reconcileId to each line. */
  readonly logger: Logger
}

export type Reconcile = (request: ReconcileRequest) => Promise<Outcome>

export interface ControllerOptions<T extends KubeObject> {
  /** A label of metrics and logs. */
  readonly name: string
  /** The kind whose keys are reconciled. */
  readonly primary: Informer<T>
  /** Selects the updates of the primary that cause a reconcile; see `primaryChanged`. */
  readonly when: Predicate<T>
  /**
   * Reads one object from the caches, compares, and writes the difference. Runs once at a time for each key: one that
   * goes on after its time limit holds its key, but no worker, until it is over.
   */
  readonly reconcile: Reconcile
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  /** For one reconcile. @default 30 s */
  readonly timeoutMs?: number
  /**
   * Full resync interval, plus or minus 10 %: finds drift that no watch reports. 0 for none.
   * @default 5 minutes
   */
  readonly resyncMs?: number
  /** Objects that are reconciled at once: of one namespace half as many, so that its slow ones delay no other. @default 4 */
  readonly workers?: number
  /** Limits on the retries of failed reconciles. */
  readonly retries?: RetryLimits
}

interface WatchRoute<S extends KubeObject> {
  readonly when?: Predicate<S>
  /** The objects of the primary kind to reconcile; see `ownerKeys`. */
  readonly to: (object: S) => readonly Key[]
}

export interface Controller {
  readonly name: string
  /** False while a reconcile runs that should have ended 10 minutes ago: only a new process can reconcile its object. */
  isHealthy(): boolean
  /** Reconciles when an object of another kind changes. To be called before `run`, which waits for its cache, too. */
  watch<S extends KubeObject>(informer: Informer<S>, route: WatchRoute<S>): void
  enqueue(key: Key): void
  /** Starts when every cache is filled; resolves when all workers have stopped. */
  run(signals: RunSignals): Promise<void>
}

const HANGING_MS = 600_000

/** Between two tries of an object in a namespace that the server refuses to a cache. */
const REFUSED_RETRY_MS = 60_000

export const createController = <T extends KubeObject>(options: ControllerOptions<T>): Controller =>
  new QueueController(options)

class QueueController<T extends KubeObject> implements Controller {
  readonly name: string
  readonly #options: ControllerOptions<T>
  readonly #workers: number
  readonly #metrics: KubeMetrics
  readonly #queue: WorkQueue
  readonly #limiter: RetryLimiter
  readonly #breaker: CircuitBreaker
  readonly #caches: Pick<Informer, 'synced' | 'isRefused'>[] = []
  /** Keys whose reconcile did not end at its time limit, and since when. */
  readonly #late = new Map<Key, number>()
  #busy = 0

  constructor(options: ControllerOptions<T>) {
    const { name, clock, random, metrics = noKubeMetrics } = options
    this.name = name
    this.#options = options
    this.#workers = options.workers ?? 4
    this.#metrics = metrics
    this.#queue = new WorkQueue({ name, clock, metrics })
    this.#limiter = new RetryLimiter({ clock, random, limits: options.retries })
    this.#breaker = new CircuitBreaker({ clock })
    // A user may change a spec often; the breaker is for objects that never settle by themselves.
    options.primary.onChange(({ object, previous }) => {
      if (object.metadata.generation !== previous?.metadata.generation) {
        this.#breaker.renew(keyOf(object.metadata))
      }
    })
    this.watch(options.primary, { when: options.when, to: ({ metadata }) => [keyOf(metadata)] })
  }

  watch<S extends KubeObject>(informer: Informer<S>, { when, to }: WatchRoute<S>): void {
    this.#caches.push(informer)
    informer.onChange((change, initial) => {
      if (when && !when(change)) return
      const { object, previous } = change
      const keys = new Set([...to(object), ...(previous ? to(previous) : [])])
      for (const key of keys) this.#queue.add(key, initial ? 'low' : 'normal')
    })
  }

  enqueue(key: Key): void {
    this.#queue.add(key)
  }

  isHealthy(): boolean {
    const now = this.#options.clock.monotonic()
    return [...this.#late.values()].every((since) => now - since < HANGING_MS)
  }

  /** With 0, as controller-runtime does: a counter that begins with its first event has no increase to see. */
  #startSeries(): void {
    const { name: controller } = this
    this.#metrics.maxWorkers.set({ controller }, this.#workers)
    const { reconcileErrors, terminalErrors, panics, reconciles, queueRetries } = this.#metrics
    for (const counter of [reconcileErrors, terminalErrors, panics]) counter.inc({ controller }, 0)
    for (const result of ['settled', 'again', 'conflict', 'error', 'timeout']) {
      reconciles.inc({ controller, result }, 0)
    }
    queueRetries.inc({ name: controller }, 0)
  }

  async run(signals: RunSignals): Promise<void> {
    this.#startSeries()
    using _sampling = { [Symbol.dispose]: this.#metrics.onScrape(() => this.#measure()) }
    using ending = combineSignals(signals, () => this.#queue.close())
    await Promise.race([Promise.all(this.#caches.map(({ synced }) => synced)), ending.stopped])
    // A cache that was filled before this controller existed reported its objects to no handler of ours.
    for (const { metadata } of this.#options.primary.store.values()) {
      this.#queue.add(keyOf(metadata), 'low')
    }
    await Promise.all(Array.from({ length: this.#workers }, () => this.#work(ending.halt)))
  }

  #measure(): void {
    this.#queue.measure()
    this.#metrics.activeWorkers.set({ controller: this.name }, this.#busy)
  }

  async #work(halt: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.take()
      if (key === undefined) return
      this.#busy += 1
      const mayStart = this.#cachesHave(key) && this.#breakerPasses(key)
      const attempted = mayStart ? await this.#reconcile(key, halt) : undefined
      this.#busy -= 1
      const giveBack = () => {
        this.#late.delete(key)
        this.#queue.done(key)
      }
      if (attempted?.attempt.result === 'timeout') {
        this.#queue.leave(key)
        void attempted.over.then(giveBack)
      } else giveBack()
    }
  }

  /** A pass over a namespace that some cache cannot see would act on objects that only seem to be missing. */
  #cachesHave(key: Key): boolean {
    const { namespace } = nameOf(key)
    if (!this.#caches.some((cache) => cache.isRefused(namespace))) return true
    this.#queue.addAfter(key, REFUSED_RETRY_MS, 'low')
    return false
  }

  #breakerPasses(key: Key): boolean {
    const decision = this.#breaker.check(key)
    if (decision.pass) return true
    this.#queue.addAfter(key, decision.afterMs, 'low')
    if (!decision.opened) return false
    this.#metrics.brokenCircuits.inc({ controller: this.name })
    const { logger } = this.#options
    logger.warn({ controller: this.name, key }, 'Holding back an object reconciled too often')
    return false
  }

  async #reconcile(key: Key, halt: AbortSignal): Promise<Attempted> {
    const { clock, timeoutMs = 30_000, reconcile } = this.#options
    const name = nameOf(key)
    const logger = this.#options.logger.child({
      controller: this.name,
      ...name,
      reconcileId: randomUUID(),
    })
    const failures = this.#limiter.failures(key)
    const started = clock.monotonic()
    const attempted = await attempt({ signal: halt, timeoutMs }, async (signal) =>
      reconcile({ key, name, signal, failures, logger }),
    )
    const ended = attempted.attempt
    const seconds = (clock.monotonic() - started) / 1000
    this.#metrics.reconcileSeconds.observe({ controller: this.name }, seconds)
    if ('error' in ended) {
      const level = ended.result === 'conflict' ? 'debug' : 'error'
      logger[level]({ err: ended.error, result: ended.result }, 'Could not reconcile')
    }
    if (ended.result === 'timeout') this.#late.set(key, clock.monotonic())
    this.#count(ended)
    this.#schedule(key, ended)
    return attempted
  }

  #count({ result }: Attempt): void {
    const controller = { controller: this.name }
    this.#metrics.reconciles.inc({ ...controller, result })
    if (result === 'error' || result === 'timeout' || result === 'panic') {
      this.#metrics.reconcileErrors.inc(controller)
    }
    if (result === 'terminal') this.#metrics.terminalErrors.inc(controller)
    if (result === 'panic') this.#metrics.panics.inc(controller)
  }

  /** Schedules the next reconcile of the key. */
  #schedule(key: Key, ended: Attempt): void {
    if (ended.result === 'aborted') return
    if ('error' in ended) {
      if (!isKubeError(ended.error, 'invalid')) this.#retry(key, ended.error)
      return
    }
    this.#limiter.forget(key)
    if (ended.outcome.kind === 'again') this.#queue.addAfter(key, ended.outcome.afterMs)
    else this.#resyncOrForget(key)
  }

  #retry(key: Key, error: unknown): void {
    const leastMs = isKubeError(error) ? error.retryAfterMs : undefined
    this.#metrics.queueRetries.inc({ name: this.name })
    this.#queue.addAfter(key, this.#limiter.next(key, leastMs))
  }

  #resyncOrForget(key: Key): void {
    const { primary, resyncMs = 300_000, random } = this.#options
    if (primary.store.has(key)) {
      if (resyncMs > 0) this.#queue.addAfter(key, jittered(resyncMs, 0.1, random), 'low')
      return
    }
    this.#queue.forget(key)
    this.#breaker.forget(key)
  }
}
