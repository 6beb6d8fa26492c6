import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { KubeMetrics } from '../../metrics/metrics.ts'
import type { Key } from '../../objects/resource.ts'
import { Delays } from './delays.ts'
import { FairLanes, Lane, type Priority } from './fair-lanes.ts'

export interface WorkQueueOptions {
  readonly name: string
  readonly clock: SteadyClock
  readonly metrics: KubeMetrics
}

interface Waiting {
  priority: Priority
  readonly since: number
}

/**
 * Keys that wait for a worker. A key waits at most once, and one worker at a time holds it: a key added
 * while a worker holds it waits again as soon as that worker is done. `FairLanes` says which is next.
 */
export class WorkQueue {
  readonly #label: { readonly name: string }
  readonly #clock: SteadyClock
  readonly #metrics: KubeMetrics
  readonly #lanes = new FairLanes((key, priority) => this.#waiting.get(key)?.priority === priority)
  readonly #waiting = new Map<Key, Waiting>()
  readonly #working = new Map<Key, number>()
  readonly #dirty = new Map<Key, Priority>()
  readonly #delays: Delays
  readonly #delayedPriority = new Map<Key, Priority>()
  readonly #takers = new Lane<(key: Key | undefined) => void>()
  #takersWaiting = 0
  #timer = new AbortController()
  #closed = false

  constructor({ name, clock, metrics }: WorkQueueOptions) {
    this.#label = { name }
    this.#clock = clock
    this.#metrics = metrics
    this.#delays = new Delays(clock)
  }

  /** Keys that wait now, without those that are delayed or held by a worker. */
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
    this.#lanes.push(key, priority)
    if (!known) this.#metrics.queueAdds.inc(this.#label)
    this.#serve()
  }

  /** Adds the key after a delay. With several delays of one key, the earliest counts. */
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

  /** The worker of a key takes others from now on, although the work on this one goes on. */
  leave(key: Key): void {
    this.#lanes.giveBack(key)
    this.#serve()
  }

  /** Gives back a key that was taken. */
  done(key: Key): void {
    const started = this.#working.get(key)
    if (started === undefined) return
    this.#working.delete(key)
    this.#lanes.giveBack(key)
    this.#metrics.workSeconds.observe(this.#label, (this.#clock.monotonic() - started) / 1000)
    const dirty = this.#dirty.get(key)
    this.#dirty.delete(key)
    if (dirty) this.add(key, dirty)
    this.#serve()
  }

  /** Cancels the delay of a key whose object no longer exists. */
  forget(key: Key): void {
    this.#delays.cancel(key)
    this.#delayedPriority.delete(key)
  }

  /** Ignores keys from now on; workers that wait for a key get undefined. */
  close(): void {
    this.#closed = true
    this.#timer.abort()
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(undefined)
  }

  /** Sets the gauges of depth and running work, whose values change with time alone. */
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

  #serve(): void {
    while (this.#takersWaiting > 0) {
      const key = this.#lanes.take(this.#takersWaiting)
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

  #watchDelays(): void {
    this.#timer.abort()
    this.#timer = new AbortController()
    const afterMs = this.#delays.nextMs()
    if (afterMs === undefined || this.#closed) return
    const { signal } = this.#timer
    this.#clock.sleep(afterMs, signal).then(
      () => this.#addDue(),
      () => undefined,
    )
  }

  #addDue(): void {
    for (const key of this.#delays.takeDue()) {
      const priority = this.#delayedPriority.get(key)
      this.#delayedPriority.delete(key)
      this.add(key, priority)
    }
    this.#watchDelays()
  }
}
