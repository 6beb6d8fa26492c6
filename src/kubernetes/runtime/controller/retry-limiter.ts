import { LruMap } from '../../../platform/core/language/lru-map.ts'
import { type BackoffBounds, backoffMs } from '../../../platform/core/time/backoff.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { type Key, nameOf } from '../objects/resource.ts'
import { TokenBucket } from '../time/token-bucket.ts'

export interface RetryLimiterOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly random: () => number
  readonly limits?: RetryLimits | undefined
}

export interface RetryLimits {
  /** Backoff of one object, with full jitter. @default 200 ms to 60 s */
  readonly backoff?: BackoffBounds
  /** Retries a second of all objects of a namespace together. @default 10, as client-go */
  readonly perSecond?: number
  /** Retries at once of all objects of a namespace together. @default 100 */
  readonly burst?: number
}

const MAX_NAMESPACES = 10_000

/** Delays the retry of a key by its own backoff, and all retries in its namespace together by one rate limit. */
export class RetryLimiter {
  readonly #failures = new Map<Key, number>()
  readonly #buckets = new LruMap<string, TokenBucket>(MAX_NAMESPACES)
  readonly #newBucket: () => TokenBucket
  readonly #random: () => number
  readonly #backoff: BackoffBounds

  constructor({ clock, random, limits = {} }: RetryLimiterOptions) {
    const { backoff = { baseMs: 200, maxMs: 60_000 }, perSecond = 10, burst = 100 } = limits
    this.#random = random
    this.#backoff = backoff
    this.#newBucket = () => new TokenBucket({ perSecond, burst, clock })
  }

  /** Counts a failure of the key; returns the milliseconds until its retry, `leastMs` or more. */
  next(key: Key, leastMs = 0): number {
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    const ownMs = backoffMs(this.#backoff, failures, this.#random)
    return Math.max(leastMs, ownMs, this.#bucketOf(key).take())
  }

  #bucketOf(key: Key): TokenBucket {
    const { namespace = '' } = nameOf(key)
    const bucket = this.#buckets.get(namespace) ?? this.#newBucket()
    this.#buckets.set(namespace, bucket)
    return bucket
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0
  }

  /** After a reconcile that succeeded: the next failure counts as the first. */
  forget(key: Key): void {
    this.#failures.delete(key)
  }
}
