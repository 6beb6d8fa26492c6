import { LruMap } from '../../../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Key } from '../objects/resource.ts'
import { TokenBucket } from '../time/token-bucket.ts'

export interface CircuitBreakerOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
}

export type BreakerDecision =
  | { readonly pass: true }
  /** `opened` is true once each time the breaker opens. */
  | { readonly pass: false; readonly afterMs: number; readonly opened: boolean }

/** Reconciles of one object that may follow each other at once, and per second after that. */
const LIMIT = { burst: 100, perSecond: 1 }
const OPEN_MS = 300_000
/** New specs of one object that close its breaker at once, and per second after that. */
const RENEWALS = { burst: 20, perSecond: 1 / 60 }
const MAX_RENEWED = 4_096

/**
 * Holds back an object that is reconciled without end, such as one that two writers change in turn. The
 * numbers are Crossplane's. A new spec closes the breaker, since a person may try several, but only so often: the writer of
 * the specs can be the one that does not end.
 */
export class CircuitBreaker {
  readonly #buckets = new Map<Key, TokenBucket>()
  readonly #openUntil = new Map<Key, number>()
  readonly #renewals = new LruMap<Key, TokenBucket>(MAX_RENEWED)
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

  /** Closes the breaker of an object that has a new spec, unless it gets new specs without end. */
  renew(key: Key): void {
    const renewals = this.#renewals.get(key) ?? new TokenBucket({ ...RENEWALS, clock: this.#clock })
    this.#renewals.set(key, renewals)
    if (renewals.tryTake()) this.#close(key)
  }

  /** The object is gone. */
  forget(key: Key): void {
    this.#close(key)
  }

  #close(key: Key): void {
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
