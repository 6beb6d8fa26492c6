import { type Backoff, fullJitter, type Random } from './full-jitter.ts'
import type { RpcError } from './rpc.ts'

/** An endpoint that failed rests so long before somebody tries it again. */
const REST: Backoff = { baseMs: 1_000, capMs: 30_000 }
/** The longest that an endpoint is left alone because it asks for it. */
const LONGEST_BAR_MS = 60_000
/** Differences in speed below this are chance. */
const LATENCY_STEP_MS = 250
/** Weight of the newest answer in the average latency. */
const NEWEST = 0.3
/** A ledger behind weighs as much as so many steps of latency: a second. */
const STEPS_PER_LEDGER = 4
/** Beyond that it does not get worse. */
const MOST_LEDGERS = 100
/** Silent for longer than this, what is known of an endpoint is worth another look. */
const STALE_MS = 30_000
const STALE_BEHIND_MS = 2_000

/** How well an endpoint answered lately: what decides who is asked first, and who is left alone. */
export class EndpointHealth {
  /** In a row. */
  failures = 0
  latencyMs = 0
  /** Ledgers behind the newest, at its last answer. */
  behind = 0
  #restsUntil = 0
  #barredUntil = 0
  #lastAskedAt: number

  constructor(now: number) {
    this.#lastAskedAt = now
  }

  answered(now: number, latencyMs: number): void {
    this.latencyMs =
      this.latencyMs === 0 ? latencyMs : this.latencyMs + NEWEST * (latencyMs - this.latencyMs)
    this.failures = 0
    this.#restsUntil = 0
    this.#barredUntil = 0
    this.#lastAskedAt = now
  }

  failed(now: number, error: RpcError, random: Random): void {
    this.failures += 1
    this.#lastAskedAt = now
    this.#restsUntil = now + fullJitter(this.failures, REST, random)
    this.#barredUntil = now + Math.min(LONGEST_BAR_MS, error.retryAfterMs ?? 0)
  }

  /** Whether it was well when it was last asked. */
  get isWell(): boolean {
    return this.failures === 0
  }

  /** Milliseconds for which it asked to be left alone; nothing is sent to it meanwhile. */
  barredForMs(now: number): number {
    return Math.max(0, this.#barredUntil - now)
  }

  /** The lower, the sooner it is asked; only comparable among endpoints that are equally well. */
  get cost(): number {
    if (!this.isWell) return this.#restsUntil
    const lag = STEPS_PER_LEDGER * Math.min(MOST_LEDGERS, this.behind)
    return Math.round(this.latencyMs / LATENCY_STEP_MS) + lag
  }

  /** Whether to look, beside real work, if it has recovered. */
  deservesLook(now: number): boolean {
    if (this.barredForMs(now) > 0) return false
    if (!this.isWell) return now >= this.#restsUntil
    return now - this.#lastAskedAt >= (this.behind > 0 ? STALE_BEHIND_MS : STALE_MS)
  }

  /** Keeps others from looking at the same time. */
  beingLookedAt(now: number): void {
    this.#lastAskedAt = now
    this.#restsUntil = Math.max(this.#restsUntil, now + REST.baseMs)
  }
}
