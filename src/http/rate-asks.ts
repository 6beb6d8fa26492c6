import type { Clock } from '../core/clock.ts'
import type { RateBucket } from './rate-bucket.ts'
import type { RateAnswer, RateLimit, RateWindows } from './rate-windows.ts'

export interface RateAsksOptions {
  readonly windows: RateWindows
  readonly limit: RateLimit
  readonly clock: Clock
  readonly onUnshared?: () => void
  readonly onError?: (error: unknown) => void
}

/** Nobody should notice the limiter; a healthy store answers in a millisecond or two. */
const ANSWER_WITHIN_MS = 250
/** After no answer the store is left alone for so long, and requests do not wait for it. */
const LEAVE_ALONE_MS = 1_000
const MAX_ASKS = 500

/** Told whether its request may pass. */
type Waiter = (mayPass: boolean) => void
type Batch = readonly (readonly [RateBucket, readonly Waiter[]])[]

/**
 * Asks the shared windows for many clients in one go: one call at a time, and whoever comes meanwhile
 * goes with the next. So the load on the store does not grow with the number of requests.
 */
export class RateAsks {
  readonly #options: RateAsksOptions
  #waiting = new Map<RateBucket, Waiter[]>()
  #isAsking = false
  #leftAloneUntil = 0

  constructor(options: RateAsksOptions) {
    this.#options = options
  }

  /** Whether one request of the bucket's client may pass. Never throws, and waits 250 ms at most for each call. */
  ask(bucket: RateBucket): Promise<boolean> | boolean {
    if (this.#options.clock.now() < this.#leftAloneUntil) return this.#decideAlone(bucket)
    const asked = new Promise<boolean>((resolve) => {
      const waiters = this.#waiting.get(bucket)
      if (waiters) waiters.push(resolve)
      else this.#waiting.set(bucket, [resolve])
    })
    if (!this.#isAsking) void this.#askAll()
    return asked
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.size > 0) await this.#askSome(this.#nextBatch())
    this.#isAsking = false
  }

  #nextBatch(): Batch {
    const batch = [...this.#waiting].slice(0, MAX_ASKS)
    for (const [bucket] of batch) this.#waiting.delete(bucket)
    return batch
  }

  async #askSome(batch: Batch): Promise<void> {
    const { windows, limit, clock, onError } = this.#options
    const asks = batch.map(([bucket, waiters]) => bucket.startAsking(waiters.length))
    try {
      const answers = await this.#inTime(windows.take(asks, limit))
      if (answers.length !== batch.length) throw new Error('not every ask was answered')
      for (const [index, answer] of answers.entries()) {
        const [bucket, waiters] = batch[index] ?? []
        bucket?.learn(answer, clock.now())
        waiters?.forEach((tell, place) => {
          tell(place < answer.admitted)
        })
      }
    } catch (error) {
      this.#leftAloneUntil = clock.now() + LEAVE_ALONE_MS
      onError?.(error)
      const left = [...batch, ...this.#waiting]
      this.#waiting = new Map()
      for (const [bucket, waiters] of left) {
        for (const tell of waiters) tell(this.#decideAlone(bucket))
      }
    }
  }

  async #inTime(answers: Promise<readonly RateAnswer[]>): Promise<readonly RateAnswer[]> {
    const over = new AbortController()
    answers.catch(() => undefined)
    const late = this.#options.clock.sleep(ANSWER_WITHIN_MS, over.signal).then(
      () => Promise.reject(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)),
      () => [],
    )
    try {
      return await Promise.race([answers, late])
    } finally {
      over.abort()
    }
  }

  #decideAlone(bucket: RateBucket): boolean {
    const mayPass = bucket.decideAlone()
    if (mayPass) this.#options.onUnshared?.()
    return mayPass
  }
}
