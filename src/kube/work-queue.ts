import type { SteadyClock } from '../core/clock.ts'
import { Delays } from './delays.ts'
import { Lane } from './lane.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'
import type { Key } from './resource.ts'

/** `low` is for start-up and resync, so that a user's edit is not behind a thousand refreshes. */
export type Priority = 'normal' | 'low'

export interface WorkQueueOptions {
  readonly name: string
  readonly clock: SteadyClock
  readonly metrics?: KubeMetrics | undefined
}

interface Waiting {
  priority: Priority
  readonly since: number
}

/**
 * Keys that wait for a worker. A key waits at most once, and no two workers ever hold it: one that is
 * added while it is being worked on waits again as soon as it is done.
 */
export class WorkQueue {
  readonly #name: string
  readonly #clock: SteadyClock
  readonly #metrics: KubeMetrics
  readonly #lanes: Readonly<Record<Priority, Lane<Key>>> = { normal: new Lane(), low: new Lane() }
  readonly #waiting = new Map<Key, Waiting>()
  readonly #working = new Map<Key, number>()
  readonly #dirty = new Map<Key, Priority>()
  readonly #delays: Delays
  readonly #delayedPriority = new Map<Key, Priority>()
  readonly #takers = new Lane<(key: Key | undefined) => void>()
  #takersWaiting = 0
  #timer = new AbortController()
  #closed = false

  constructor({ name, clock, metrics = noKubeMetrics }: WorkQueueOptions) {
    this.#name = name
    this.#clock = clock
    this.#metrics = metrics
    this.#delays = new Delays(clock)
  }

  /** Keys that wait now; not those that are delayed or worked on. */
  get size(): number {
    return this.#waiting.size
  }

  get working(): number {
    return this.#working.size
  }

  add(key: Key, priority: Priority = 'normal'): void {
    if (this.#closed) return
    if (this.#working.has(key)) {
      if (this.#dirty.get(key) !== 'normal') this.#dirty.set(key, priority)
      return
    }
    const known = this.#waiting.get(key)
    if (known?.priority === 'normal' || known?.priority === priority) return
    this.#waiting.set(key, { priority, since: known?.since ?? this.#clock.monotonic() })
    this.#lanes[priority].push(key)
    if (!known) this.#metrics.queueAdds.inc(this.#label)
    this.#serve()
  }

  /** Of several delays of one key the earliest counts. */
  addAfter(key: Key, afterMs: number, priority: Priority = 'normal'): void {
    if (this.#closed) return
    if (afterMs <= 0) {
      this.add(key, priority)
      return
    }
    if (this.#delayedPriority.get(key) !== 'normal') this.#delayedPriority.set(key, priority)
    if (this.#delays.add(key, afterMs)) this.#watchDelays()
  }

  /** The next key, once there is one; undefined when the queue is closed. */
  take(): Promise<Key | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#takers.push(resolve)
      this.#takersWaiting += 1
      this.#serve()
    })
  }

  /** Every key that was taken must be given back. */
  done(key: Key): void {
    const started = this.#working.get(key)
    if (started === undefined) return
    this.#working.delete(key)
    this.#metrics.workSeconds.observe(this.#label, (this.#clock.monotonic() - started) / 1000)
    const dirty = this.#dirty.get(key)
    this.#dirty.delete(key)
    if (dirty) this.add(key, dirty)
  }

  /** A key that is gone needs no delay any more. */
  forget(key: Key): void {
    this.#delays.cancel(key)
    this.#delayedPriority.delete(key)
  }

  /** Nothing goes in or out any more; who waits for a key gets undefined. */
  close(): void {
    this.#closed = true
    this.#timer.abort()
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(undefined)
  }

  /** Sets the gauges that only time moves; called when metrics are read or now and then. */
  measure(): void {
    const now = this.#clock.monotonic()
    const seconds = [...this.#working.values()].map((started) => (now - started) / 1000)
    this.#metrics.queueDepth.set(this.#label, this.#waiting.size)
    this.#metrics.unfinishedSeconds.set(
      this.#label,
      seconds.reduce((sum, part) => sum + part, 0),
    )
    this.#metrics.longestSeconds.set(this.#label, Math.max(0, ...seconds))
  }

  get #label(): { readonly name: string } {
    return { name: this.#name }
  }

  #serve(): void {
    while (this.#takersWaiting > 0) {
      const key = this.#next()
      if (key === undefined) return
      this.#takersWaiting -= 1
      const now = this.#clock.monotonic()
      this.#metrics.queueSeconds.observe(
        this.#label,
        (now - (this.#waiting.get(key)?.since ?? now)) / 1000,
      )
      this.#waiting.delete(key)
      this.#working.set(key, now)
      this.#takers.shift()?.(key)
    }
  }

  /** A key that was raised to the normal lane left an entry in the low one, which counts no more. */
  #next(): Key | undefined {
    for (const priority of ['normal', 'low'] as const) {
      const lane = this.#lanes[priority]
      for (let key = lane.shift(); key !== undefined; key = lane.shift()) {
        if (this.#waiting.get(key)?.priority === priority) return key
      }
    }
    return undefined
  }

  #watchDelays(): void {
    this.#timer.abort()
    this.#timer = new AbortController()
    const afterMs = this.#delays.nextMs()
    if (afterMs === undefined || this.#closed) return
    const { signal } = this.#timer
    this.#clock.sleep(afterMs, signal).then(
      () => this.#release(),
      () => undefined,
    )
  }

  #release(): void {
    for (const key of this.#delays.takeDue()) {
      const priority = this.#delayedPriority.get(key)
      this.#delayedPriority.delete(key)
      this.add(key, priority)
    }
    this.#watchDelays()
  }
}
