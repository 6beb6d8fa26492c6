import type { Key } from '../objects/resource.ts'
import type { Clock } from '../time/clock.ts'
import { TokenBucket } from '../time/token-bucket.ts'

export interface CircuitBreakerOptions {
  readonly clock: Pick<Clock, 'monotonic'>
}

export type BreakerDecision =
  | { readonly pass: true }
  /** `opened` is true once each time the breaker opens. */
  | { readonly pass: false; readonly afterMs: number; readonly opened: boolean }

/** Reconciles of one object that may follow each other at once, and per second after that. */
const LIMIT = { burst: 100, perSecond: 1 }
const OPEN_MS = 300_000

/**
 * Holds back an object that is reconciled without end, such as one that two writers change in turn. The
 * numbers are Crossplane's.
 */
export class CircuitBreaker {
  readonly #buckets = new Map<Key, TokenBucket>()
  readonly #openUntil = new Map<Key, number>()
  readonly #clock: CircuitBreakerOptions['clock']

  constructor({ clock }: CircuitBreakerOptions) {
    this.#clock = clock
  }

  /** Counts one reconcile of the object. */
  check(key: Key): BreakerDecision {
    const now = this.#clock.monotonic()
    const until = this.#openUntil.get(key) ?? 0
    if (now < until) return { pass: false, afterMs: until - now, opened: false }
    this.#openUntil.delete(key)
    if (this.#bucketOf(key).tryTake()) return { pass: true }
    this.#openUntil.set(key, now + OPEN_MS)
    return { pass: false, afterMs: OPEN_MS, opened: true }
  }

  forget(key: Key): void {
    this.#buckets.delete(key)
    this.#openUntil.delete(key)
  }

  #bucketOf(key: Key): TokenBucket {
    const known = this.#buckets.get(key)
    if (known) return known
    const bucket = new TokenBucket({ ...LIMIT, clock: this.#clock })
    this.#buckets.set(key, bucket)
    return bucket
  }
}
