import type { RateWindows } from '../../core/rate-windows.ts'
import type { Clock } from '../../core/time/clock.ts'
import { ClientMinute } from './client-minute.ts'
import { QuotaBatcher } from './quota-batcher.ts'

export interface RateLimiterOptions {
  /** Calls one client may make in a minute, over all replicas. */
  readonly perMinute: number
  readonly clock: Clock
  /** Shared by the replicas; absent when there is only one. */
  readonly windows?: RateWindows
  /** Called for each call that this replica admitted by its own count, because the windows did not answer. */
  readonly onUnshared?: () => void
  /** Called each time that the windows fail to answer. */
  readonly onError?: (error: unknown) => void
}

/** `retryAfterSeconds` is at least 1. */
export type RateDecision = { readonly mayPass: true } | { readonly retryAfterSeconds: number }

const MINUTE_MS = 60_000

/** The replicas together may admit this share of the limit beyond it. */
const SLACK_SHARE = 0.1

/** Some 100 bytes each. Beyond this the oldest is dropped, and counted from the shared windows again. */
const MAX_CLIENTS = 100_000

/**
 * Counts each client's calls in fixed windows of a minute. With shared windows this replica decides
 * most calls within its allowance; the others wait for one statement for all waiting clients.
 * While the shared windows do not answer, each replica limits by its own count.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #batcher: QuotaBatcher | undefined
  #clients = new Map<string, ClientMinute>()
  #minute = 0

  constructor(options: RateLimiterOptions) {
    this.#options = options
    const { perMinute, windows } = options
    const limit = { perMinute, slack: Math.floor(perMinute * SLACK_SHARE) }
    this.#batcher = windows && new QuotaBatcher({ ...options, windows, limit })
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** Counts one call. Answers without a promise where it can, so that the call waits for no event loop turn. */
  take(address: string): RateDecision | Promise<RateDecision> {
    const now = this.#options.clock.now()
    const client = this.#clientOf(address, now)
    const mayPass = client.decide()
    if (mayPass !== undefined) return this.#decision(client, mayPass)
    return this.#askShared(client)
  }

  async #askShared(client: ClientMinute): Promise<RateDecision> {
    const mayPass = await this.#batcher?.admit(client)
    return this.#decision(client, mayPass ?? true)
  }

  #decision({ endsAt }: ClientMinute, mayPass: boolean): RateDecision {
    if (mayPass) return { mayPass }
    const ms = endsAt - this.#options.clock.now()
    return { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1_000)) }
  }

  #clientOf(address: string, now: number): ClientMinute {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#clients = new Map()
    }
    const known = this.#clients.get(address)
    if (known && now < known.endsAt) return known
    const fresh = new ClientMinute({
      client: address,
      perMinute: this.#options.perMinute,
      endsAt: (minute + 1) * MINUTE_MS,
      isShared: this.#batcher !== undefined,
    })
    this.#remember(address, fresh)
    return fresh
  }

  #remember(address: string, client: ClientMinute): void {
    const [oldest] = this.#clients.keys()
    if (this.#clients.size >= MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    this.#clients.set(address, client)
  }
}
