import type { SteadyClock } from '../core/clock.ts'
import { type BackoffBounds, backoffMs } from './backoff.ts'
import type { Key } from './resource.ts'
import { TokenBucket } from './token-bucket.ts'

/** A backoff for each kind of work that can fail. `kubernetes` is the one for all that says nothing else. */
export type RetryClasses = Readonly<Record<string, BackoffBounds>> & {
  readonly kubernetes: BackoffBounds
}

export const defaultRetryClasses: RetryClasses = {
  kubernetes: { baseMs: 200, maxMs: 60_000 },
}

export interface RetryLimiterOptions {
  readonly classes?: RetryClasses | undefined
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly random: () => number
}

/** All keys together: 10 retries a second after a burst of 100, as in client-go. */
const overall = { perSecond: 10, burst: 100 }

/** When a key that failed comes back: the later of its own backoff and its turn among all that failed. */
export class RetryLimiter {
  readonly #failures = new Map<Key, number>()
  readonly #classes: RetryClasses
  readonly #bucket: TokenBucket
  readonly #random: () => number

  constructor({ classes = defaultRetryClasses, clock, random }: RetryLimiterOptions) {
    this.#classes = classes
    this.#random = random
    this.#bucket = new TokenBucket({ ...overall, clock })
  }

  /** An unknown class counts as `kubernetes`. `leastMs` is what a server asked for. */
  next(key: Key, retryClass = 'kubernetes', leastMs = 0): number {
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    const bounds = this.#classes[retryClass] ?? this.#classes.kubernetes
    return Math.max(leastMs, backoffMs(bounds, failures, this.#random), this.#bucket.take())
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0
  }

  /** It went well, or the key is gone. */
  forget(key: Key): void {
    this.#failures.delete(key)
  }
}
