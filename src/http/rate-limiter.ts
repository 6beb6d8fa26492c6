import type { Clock } from '../core/clock.ts'
import { RateAsks } from './rate-asks.ts'
import { RateBucket } from './rate-bucket.ts'
import type { RateWindows } from './rate-windows.ts'

export interface RateLimiterOptions {
  /** Requests one client may make in a minute, over all replicas. */
  readonly perMinute: number
  readonly clock: Clock
  /** What replicas share; absent when there is one only. */
  readonly windows?: RateWindows
  /** Told of each request that was let pass by this replica's own count, since the shared one did not answer. */
  readonly onUnshared?: () => void
  /** Told once for each time that the shared counts did not answer. */
  readonly onError?: (error: unknown) => void
}

/** A request may pass, or its client should come back after so many seconds, at least 1. */
export type RateVerdict = { readonly mayPass: true } | { readonly retryAfterSeconds: number }

export const MINUTE_MS = 60_000

/** What replicas may let pass beyond the limit, together: a tenth of it. */
const SLACK_SHARE = 0.1

/** Some 100 bytes each; a client forgotten over this is asked for again. */
const MAX_CLIENTS = 100_000

/**
 * Counts each client's requests in fixed windows of a minute. With shared windows most requests are
 * decided here, within an allowance; the others wait for one statement that carries the asks of all
 * clients that wait. While the shared windows do not answer, each replica limits by itself.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #asks: RateAsks | undefined
  #buckets = new Map<string, RateBucket>()
  #minute = 0

  constructor(options: RateLimiterOptions) {
    this.#options = options
    const { perMinute, windows } = options
    const limit = { perMinute, slack: Math.floor(perMinute * SLACK_SHARE) }
    this.#asks = windows && new RateAsks({ ...options, windows, limit })
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#buckets.size
  }

  /** Counts one request. Answers at once where it can, so that it costs no turn of the event loop. */
  take(client: string): RateVerdict | Promise<RateVerdict> {
    const now = this.#options.clock.now()
    const bucket = this.#bucketOf(client, now)
    const mayPass = bucket.decide()
    if (mayPass !== undefined) return this.#verdict(bucket, mayPass)
    return this.#ask(bucket)
  }

  async #ask(bucket: RateBucket): Promise<RateVerdict> {
    const mayPass = await this.#asks?.ask(bucket)
    return this.#verdict(bucket, mayPass ?? true)
  }

  #verdict({ endsAt }: RateBucket, mayPass: boolean): RateVerdict {
    if (mayPass) return { mayPass }
    const ms = endsAt - this.#options.clock.now()
    return { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1_000)) }
  }

  #bucketOf(client: string, now: number): RateBucket {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#buckets = new Map()
    }
    const known = this.#buckets.get(client)
    if (known && now < known.endsAt) return known
    const fresh = new RateBucket({
      client,
      perMinute: this.#options.perMinute,
      endsAt: (minute + 1) * MINUTE_MS,
      isShared: this.#asks !== undefined,
    })
    this.#remember(client, fresh)
    return fresh
  }

  #remember(client: string, bucket: RateBucket): void {
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size >= MAX_CLIENTS && oldest !== undefined) this.#buckets.delete(oldest)
    this.#buckets.set(client, bucket)
  }
}
