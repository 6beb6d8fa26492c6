import type { Clock } from '../core/clock.ts'
import { LedgerClock, type LedgerSample } from '../stellar/ledger-clock.ts'

/** Two looks so close together say well enough when a ledger closed in between, in milliseconds. */
const SHARP_MS = 500

/**
 * The network's own time, which judges max times, as this process last saw it. A local clock that
 * is minutes off does no harm: only the time since the last ledger is taken from it.
 */
export class NetworkTime {
  readonly #clock: Clock
  readonly #ledgers = new LedgerClock()
  #seenAt = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Whether the newest ledger was seen right after it closed, or had closed some time before. */
  #isSharp = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  observe(tip: LedgerSample): void {
    const before = this.#ledgers.newest?.sequence
    const sinceLastLook = this.#clock.now() - this.#lookedAt
    this.#lookedAt = this.#clock.now()
    this.#ledgers.observe(tip)
    if (this.#ledgers.newest?.sequence === before) return
    this.#seenAt = this.#clock.now()
    this.#isSharp = sinceLastLook <= SHARP_MS
  }

  /** Whole seconds, rounded up: how long a ledger takes. */
  get secondsPerLedger(): number {
    return this.#ledgers.secondsPerLedger
  }

  /** Unix seconds, rounded down; undefined before the first ledger was seen. */
  get now(): number | undefined {
    const { newest } = this.#ledgers
    return newest && newest.closeTime + Math.floor((this.#clock.now() - this.#seenAt) / 1_000)
  }

  /**
   * The earliest moment the next ledger may close, by this process's clock, in milliseconds: a
   * second early, since the time of a ledger is known in whole seconds rounded up. Any moment now
   * when nobody saw the newest one close.
   */
  get nextCloseAt(): number {
    if (!this.#isSharp) return this.#clock.now()
    return this.#seenAt + (this.#ledgers.secondsPerLedger - 1) * 1_000
  }
}
