import type { SteadyClock } from '../../../platform/core/time/clock.ts'

export interface TokenBucketOptions {
  /** Tokens added each second. */
  readonly perSecond: number
  /** Tokens that may be taken at once. */
  readonly burst: number
  readonly clock: Pick<SteadyClock, 'monotonic'>
}

/** A rate limit. Callers queue: each learns how long to wait for a token that is reserved for it. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  readonly #clock: Pick<SteadyClock, 'monotonic'>
  #tokens: number
  #at: number

  constructor({ perSecond, burst, clock }: TokenBucketOptions) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#at = clock.monotonic()
  }

  /** Takes a token; returns the milliseconds until it may be used. */
  take(): number {
    this.#refill()
    this.#tokens -= 1
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Whole milliseconds until `tryTake` finds a token, when nobody else takes one. */
  msUntilNext(): number {
    this.#refill()
    return Math.ceil(Math.max(0, 1 - this.#tokens) / this.#perMs)
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs)
    this.#at = now
  }
}
