import type { Clock } from './clock.ts'
import { Delays } from './delays.ts'
import type { KubeMetrics } from './metrics.ts'
import type { Key } from './resource.ts'

/** `low` is for start-up and resync, so that a user's edit does not wait behind a thousand refreshes. */
export type Priority = 'normal' | 'low'

export interface WorkQueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly metrics: KubeMetrics
}

interface Waiting {
  priority: Priority
  readonly since: number
}

/**
 * Keys that wait for a worker. A key waits at most once, and one worker at a time holds it: a key added
 * while a worker holds it waits again as soon as that worker is done.
 */
export class WorkQueue {
  readonly #label: { readonly name: string }
  readonly #clock: Clock
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

  /** Gives back a key that was taken. */
  done(key: Key): void {
    const started = this.#working.get(key)
    if (started === undefined) return
    this.#working.delete(key)
    this.#metrics.workSeconds.observe(this.#label, (this.#clock.monotonic() - started) / 1000)
    const dirty = this.#dirty.get(key)
    this.#dirty.delete(key)
    if (dirty) this.add(key, dirty)
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

  /** Skips keys of the low lane that were raised to the normal one: they are left in both. */
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

/** A first-in first-out list with a head index: `Array#shift` takes 5 s for 100,000 items, this 0.1 s. */
class Lane<T> {
  #items: T[] = []
  #head = 0

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (this.#head >= this.#items.length) return undefined
    this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
