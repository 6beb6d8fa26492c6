import { type BackoffBounds, backoffMs, type Random } from '../../../platform/core/time/backoff.ts'
import type { RpcError } from '../rpc.ts'
import type { RequestPriority } from './request-priority.ts'

/** After failures, an endpoint is not probed for this long. */
const FAILURE_BACKOFF: BackoffBounds = { baseMs: 1_000, maxMs: 30_000 }
/** Longest `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = 60_000
/**
 * Until then a request of high priority is tried this often all the same: a recorded envelope lives no
 * longer than the longest `Retry-After`.
 */
const HIGH_PRIORITY_EVERY_MS = 1_000
/** Differences in latency below this are noise. */
const LATENCY_STEP_MS = 250
/** Weight of the latest answer in the average latency. */
const LATENCY_SMOOTHING = 0.3
/** One ledger behind costs as much as this many steps of latency: a second. */
const STEPS_PER_LEDGER = 4
/** Beyond this lag the cost does not grow. */
const MAX_LAG_LEDGERS = 100
/** An endpoint that sent no answer for this long is probed. */
const STALE_MS = 30_000
const STALE_BEHIND_MS = 2_000
const STOPPED_MS = 30_000

/** Recent failures, latency and lag of one endpoint: they decide the order in which endpoints are used. */
export class EndpointHealth {
  /** Failed requests in a row. */
  failures = 0
  latencyMs = 0
  /** Ledgers behind the latest one, at its last answer. */
  behind = 0
  #isSilent = false
  /** When its ledgers last went on. */
  #advancedAt: number
  #ledger = 0
  #backoffUntil = 0
  /** End of the `Retry-After`, for each priority. */
  readonly #pauseUntil = { high: 0, low: 0, background: 0 }
  /** Failed requests in a row, of the background. */
  #backgroundFailures = 0
  #nextHighPriorityAt = 0
  #lastUsedAt: number

  constructor(now: number) {
    this.#lastUsedAt = now
    this.#advancedAt = now
  }

  /** After each answer that names its ledger. */
  isAt(now: number, ledger: number): void {
    if (ledger !== this.#ledger) this.#advancedAt = now
    this.#ledger = ledger
  }

  /** Whether it has reported one ledger for longer than a network takes for several. */
  hasStopped(now: number): boolean {
    return now - this.#advancedAt >= STOPPED_MS
  }

  /** Before each request: of those that a `Retry-After` bars, the others wait for the answer to this one. */
  starts(now: number, priority: RequestPriority): void {
    if (priority === 'high' && now < this.#pauseUntil.high) {
      this.#nextHighPriorityAt = now + HIGH_PRIORITY_EVERY_MS
    }
  }

  /** Returns whether requests failed before this one. */
  answered(now: number, latencyMs: number, priority: RequestPriority): boolean {
    this.#pauseUntil[priority] = 0
    if (priority === 'background') {
      const hadFailed = this.#backgroundFailures > 0
      this.#backgroundFailures = 0
      return hadFailed
    }
    const hadFailed = !this.isHealthy
    this.latencyMs =
      this.latencyMs === 0
        ? latencyMs
        : this.latencyMs + LATENCY_SMOOTHING * (latencyMs - this.latencyMs)
    this.failures = 0
    this.#isSilent = false
    this.#backoffUntil = 0
    this.#lastUsedAt = now
    return hadFailed
  }

  /**
   * A `Retry-After` bars requests of lower priority too, but not those of a higher one. Returns whether this is the first
   * failure after an answer.
   */
  failed(now: number, error: RpcError, random: Random, priority: RequestPriority): boolean {
    const until = now + Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs ?? 0)
    this.#pauseUntil.background = Math.max(this.#pauseUntil.background, until)
    if (priority === 'background') {
      this.#backgroundFailures += 1
      const backoff = backoffMs(FAILURE_BACKOFF, this.#backgroundFailures, random)
      this.#pauseUntil.background = Math.max(this.#pauseUntil.background, now + backoff)
      return this.#backgroundFailures === 1
    }
    this.failures += 1
    this.#isSilent = error.kind === 'transport'
    this.#lastUsedAt = now
    this.#backoffUntil = now + backoffMs(FAILURE_BACKOFF, this.failures, random)
    this.#pauseUntil.low = Math.max(this.#pauseUntil.low, until)
    if (priority === 'low') return this.failures === 1
    this.#pauseUntil.high = Math.max(this.#pauseUntil.high, until)
    this.#nextHighPriorityAt = now + HIGH_PRIORITY_EVERY_MS
    return this.failures === 1
  }

  /** Whether the last request was answered. */
  get isHealthy(): boolean {
    return this.failures === 0
  }

  /** Whether the last request had no answer, not even one that cannot be read, and none named a new ledger for half a minute. */
  isGone(now: number): boolean {
    return this.#isSilent && this.hasStopped(now)
  }

  /** Milliseconds for which no request of this priority is sent to it, because of a `Retry-After`. */
  retryAfterMs(now: number, priority: RequestPriority): number {
    const pauseUntil = this.#pauseUntil[priority]
    const until = priority === 'high' ? Math.min(pauseUntil, this.#nextHighPriorityAt) : pauseUntil
    return Math.max(0, until - now)
  }

  /** Endpoints are used in rising order of cost. Comparable only among healthy or among failed ones. */
  get cost(): number {
    if (!this.isHealthy) return this.#backoffUntil
    const lag = STEPS_PER_LEDGER * Math.min(MAX_LAG_LEDGERS, this.behind)
    return Math.round(this.latencyMs / LATENCY_STEP_MS) + lag
  }

  /** Whether to send a probe beside the real requests, to learn whether it recovered. */
  isProbeDue(now: number): boolean {
    if (this.retryAfterMs(now, 'low') > 0) return false
    if (!this.isHealthy) return now >= this.#backoffUntil
    return now - this.#lastUsedAt >= (this.behind > 0 ? STALE_BEHIND_MS : STALE_MS)
  }

  /** Keeps other requests from sending a probe at the same time. */
  probeSent(now: number): void {
    this.#lastUsedAt = now
    this.#backoffUntil = Math.max(this.#backoffUntil, now + FAILURE_BACKOFF.baseMs)
  }
}
