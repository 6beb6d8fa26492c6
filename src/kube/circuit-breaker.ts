import type { SteadyClock } from '../core/clock.ts'
import type { Key } from './resource.ts'
import { TokenBucket } from './token-bucket.ts'

export interface CircuitBreakerOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
  /** Reconciles of one object at once; 100 when absent. */
  readonly burst?: number
  /** Reconciles of one object a second after that; 1 when absent. */
  readonly perSecond?: number
  /** How long an object that had more is held back; 5 minutes when absent. */
  readonly openMs?: number
}

export type Verdict =
  | { readonly pass: true }
  /** `opened` is true once for each time the circuit opens. */
  | { readonly pass: false; readonly afterMs: number; readonly opened: boolean }

/** Two writers who undo each other's work would keep a controller busy for ever; the numbers are Crossplane's. */
export class CircuitBreaker {
  readonly #buckets = new Map<Key, TokenBucket>()
  readonly #openUntil = new Map<Key, number>()
  readonly #options: Required<CircuitBreakerOptions>

  constructor({ clock, burst = 100, perSecond = 1, openMs = 300_000 }: CircuitBreakerOptions) {
    this.#options = { clock, burst, perSecond, openMs }
  }

  judge(key: Key): Verdict {
    const { clock, openMs } = this.#options
    const now = clock.monotonic()
    const until = this.#openUntil.get(key) ?? 0
    if (now < until) return { pass: false, afterMs: until - now, opened: false }
    this.#openUntil.delete(key)
    if (this.#bucketOf(key).tryTake()) return { pass: true }
    this.#openUntil.set(key, now + openMs)
    return { pass: false, afterMs: openMs, opened: true }
  }

  forget(key: Key): void {
    this.#buckets.delete(key)
    this.#openUntil.delete(key)
  }

  #bucketOf(key: Key): TokenBucket {
    const known = this.#buckets.get(key)
    if (known) return known
    const bucket = new TokenBucket(this.#options)
    this.#buckets.set(key, bucket)
    return bucket
  }
}
