import { type BackoffBounds, backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { Key } from './resource.ts'
import { TokenBucket } from './token-bucket.ts'

export interface RetryLimiterOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: () => number
}

const BACKOFF: BackoffBounds = { baseMs: 200, maxMs: 60_000 }
/** All keys together: 10 retries a second after a burst of 100, as in client-go. */
const OVERALL_LIMIT = { perSecond: 10, burst: 100 }

/** Delays the retry of a key by its own backoff, and all retries together by one rate limit. */
export class RetryLimiter {
  readonly #failures = new Map<Key, number>()
  readonly #bucket: TokenBucket
  readonly #random: () => number

  constructor({ clock, random }: RetryLimiterOptions) {
    this.#random = random
    this.#bucket = new TokenBucket({ ...OVERALL_LIMIT, clock })
  }

  /** Counts a failure of the key; returns the milliseconds until its retry, `leastMs` or more. */
  next(key: Key, leastMs = 0): number {
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    return Math.max(leastMs, backoffMs(BACKOFF, failures, this.#random), this.#bucket.take())
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0
  }

  /** After a reconcile that succeeded: the next failure counts as the first. */
  forget(key: Key): void {
    this.#failures.delete(key)
  }
}
