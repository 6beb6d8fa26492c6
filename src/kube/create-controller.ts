import { randomUUID } from 'node:crypto'
import { jittered } from './backoff.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import type { Controller, ControllerOptions, RunSignals, WatchRoute } from './controller.ts'
import type { Informer } from './informer.ts'
import { isKubeError } from './kube-error.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'
import { attempt, type Ended } from './reconcile-attempt.ts'
import { type Key, type KubeObject, keyOf, nameOf } from './resource.ts'
import { RetryLimiter } from './retry-limiter.ts'
import { runSignals } from './run-signals.ts'
import { type Priority, WorkQueue } from './work-queue.ts'

export const createController = <T extends KubeObject>(options: ControllerOptions<T>): Controller =>
  new QueueController(options)

class QueueController<T extends KubeObject> implements Controller {
  readonly name: string
  readonly #options: ControllerOptions<T>
  readonly #metrics: KubeMetrics
  readonly #queue: WorkQueue
  readonly #limiter: RetryLimiter
  readonly #breaker: CircuitBreaker
  readonly #caches: Promise<void>[] = []

  constructor(options: ControllerOptions<T>) {
    const { name, clock, random, retryClasses, metrics = noKubeMetrics } = options
    this.name = name
    this.#options = options
    this.#metrics = metrics
    this.#queue = new WorkQueue({ name, clock, metrics })
    this.#limiter = new RetryLimiter({ classes: retryClasses, clock, random })
    this.#breaker = options.breaker ?? new CircuitBreaker({ clock })
    // Whoever changes a spec may do so often; only what comes to no rest by itself is held back.
    options.primary.onChange(({ object, previous }) => {
      if (object.metadata.generation !== previous?.metadata.generation) {
        this.#breaker.forget(keyOf(object.metadata))
      }
    })
    this.watch(options.primary, { when: options.when, to: ({ metadata }) => [keyOf(metadata)] })
  }

  watch<S extends KubeObject>(informer: Informer<S>, { when, to }: WatchRoute<S>): void {
    this.#caches.push(informer.synced)
    informer.onChange((change, initial) => {
      if (when && !when(change)) return
      const { object, previous } = change
      const keys = new Set([...to(object), ...(previous ? to(previous) : [])])
      for (const key of keys) this.#queue.add(key, initial ? 'low' : 'normal')
    })
  }

  enqueue(
    key: Key,
    options: { readonly priority?: Priority; readonly afterMs?: number } = {},
  ): void {
    this.#queue.addAfter(key, options.afterMs ?? 0, options.priority)
  }

  measure(): void {
    this.#queue.measure()
    this.#metrics.activeWorkers.set({ controller: this.name }, this.#queue.working)
  }

  async run(signals: RunSignals): Promise<void> {
    const { workers = 4 } = this.#options
    this.#metrics.maxWorkers.set({ controller: this.name }, workers)
    using ending = runSignals(signals, () => this.#queue.close())
    await Promise.race([Promise.all(this.#caches), ending.stopped])
    // A cache that was warm before this controller was made told nobody of what is in it.
    for (const { metadata } of this.#options.primary.store.values()) {
      this.#queue.add(keyOf(metadata), 'low')
    }
    await Promise.all(Array.from({ length: workers }, () => this.#work(ending.halt)))
  }

  async #work(halt: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.take()
      if (key === undefined) return
      try {
        if (this.#mayPass(key)) this.#after(key, await this.#reconcile(key, halt))
      } finally {
        this.#queue.done(key)
      }
    }
  }

  #mayPass(key: Key): boolean {
    const verdict = this.#breaker.judge(key)
    if (verdict.pass) return true
    this.#queue.addAfter(key, verdict.afterMs, 'low')
    if (!verdict.opened) return false
    this.#metrics.brokenCircuits.inc({ controller: this.name })
    const { logger } = this.#options
    logger.warn({ controller: this.name, key }, 'Reconciled too often and holds the object back')
    return false
  }

  async #reconcile(key: Key, halt: AbortSignal): Promise<Ended> {
    const { clock, timeoutMs = 30_000, reconcile } = this.#options
    const name = nameOf(key)
    const logger = this.#options.logger.child({
      controller: this.name,
      ...name,
      reconcileId: randomUUID(),
    })
    const failures = this.#limiter.failures(key)
    const started = clock.monotonic()
    const ended = await attempt({ signal: halt, timeoutMs }, async (signal) =>
      reconcile({ key, name, signal, failures, logger }),
    )
    const seconds = (clock.monotonic() - started) / 1000
    this.#metrics.reconcileSeconds.observe({ controller: this.name }, seconds)
    if ('error' in ended) {
      const level = ended.result === 'conflict' ? 'debug' : 'error'
      logger[level]({ err: ended.error, result: ended.result }, 'Could not reconcile')
    }
    return ended
  }

  #after(key: Key, ended: Ended): void {
    this.#count(ended)
    this.#schedule(key, ended)
    try {
      this.#options.onEnded?.(key, ended)
    } catch (error) {
      this.#options.logger.error({ controller: this.name, key, err: error }, 'Could not report')
    }
  }

  #count({ result }: Ended): void {
    const controller = { controller: this.name }
    this.#metrics.reconciles.inc({ ...controller, result })
    if (result === 'error' || result === 'timeout' || result === 'panic') {
      this.#metrics.reconcileErrors.inc(controller)
    }
    if (result === 'terminal') this.#metrics.terminalErrors.inc(controller)
    if (result === 'panic') this.#metrics.panics.inc(controller)
  }

  /** What the end of one reconcile says about the next. */
  #schedule(key: Key, ended: Ended): void {
    if (ended.result === 'aborted') return
    if ('error' in ended) {
      if (!isKubeError(ended.error, 'invalid')) this.#retry(key, ended)
      return
    }
    this.#limiter.forget(key)
    if (ended.outcome.kind === 'again') this.#queue.addAfter(key, ended.outcome.afterMs)
    else this.#resyncOrForget(key)
  }

  #retry(key: Key, { error, retry }: { readonly error: unknown; readonly retry: string }): void {
    const leastMs = isKubeError(error) ? error.retryAfterMs : undefined
    this.#metrics.queueRetries.inc({ name: this.name })
    this.#queue.addAfter(key, this.#limiter.next(key, retry, leastMs))
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
