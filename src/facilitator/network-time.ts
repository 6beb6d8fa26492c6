import type { Clock } from '../core/clock.ts'
import { LedgerClock, type LedgerSample } from '../stellar/ledger-clock.ts'

/** Between two polls at most this far apart, a ledger's close is known precisely enough, in milliseconds. */
const PRECISE_MS = 500

/**
 * Estimates the network's time, by which the ledger enforces max times. A local clock that is minutes
 * off does no harm: it measures only the time since the last ledger was observed.
 */
export class NetworkTime {
  readonly #clock: Clock
  readonly #ledgers = new LedgerClock()
  #observedAt = 0
  #polledAt = Number.NEGATIVE_INFINITY
  /** Whether the latest ledger was observed right after it closed, rather than some time later. */
  #isPrecise = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  observe(tip: LedgerSample): void {
    const before = this.#ledgers.latest?.sequence
    const sinceLastPoll = this.#clock.now() - this.#polledAt
    this.#polledAt = this.#clock.now()
    this.#ledgers.observe(tip)
    if (this.#ledgers.latest?.sequence === before) return
    this.#observedAt = this.#clock.now()
    this.#isPrecise = sinceLastPoll <= PRECISE_MS
  }

  /** Whole seconds, rounded up. */
  get secondsPerLedger(): number {
    return this.#ledgers.secondsPerLedger
  }

  /** Unix seconds, rounded down; undefined before the first ledger. */
  get now(): number | undefined {
    const { latest } = this.#ledgers
    return latest && latest.closeTime + Math.floor((this.#clock.now() - this.#observedAt) / 1_000)
  }

  /**
   * The earliest time at which the next ledger may close, by this process's clock, in milliseconds: a
   * second early, since seconds per ledger are rounded up. Now, when the close of the latest ledger was
   * not observed precisely.
   */
  get nextCloseAt(): number {
    if (!this.#isPrecise) return this.#clock.now()
    return this.#observedAt + (this.#ledgers.secondsPerLedger - 1) * 1_000
  }
}
