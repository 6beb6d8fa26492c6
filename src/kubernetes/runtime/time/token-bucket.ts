import type { Clock } from './clock.ts'

export interface TokenBucketOptions {
  /** Tokens added each second. */
  readonly perSecond: number
  /** Tokens that may be taken at once. */
  readonly burst: number
  readonly clock: Pick<Clock, 'monotonic'>
}

/** A rate limit. Callers queue: each learns how long to wait for a token that is reserved for it. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  readonly #clock: Pick<Clock, 'monotonic'>
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

  /** Returns a token that was taken and is not used. */
  giveBack(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1)
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs)
    this.#at = now
  }
}
