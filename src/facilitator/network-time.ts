import type { Clock } from '../core/clock.ts'
import { LedgerClock, type LedgerSample } from '../stellar/ledger-clock.ts'

/**
 * The network's own time, which judges max times, as this process last saw it. A local clock that
 * is minutes off does no harm: only the time since the last ledger is taken from it.
 */
export class NetworkTime {
  readonly #clock: Clock
  readonly #ledgers = new LedgerClock()
  #seenAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  observe(tip: LedgerSample): void {
    const before = this.#ledgers.newest?.sequence
    this.#ledgers.observe(tip)
    if (this.#ledgers.newest?.sequence !== before) this.#seenAt = this.#clock.now()
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

  /** When the next ledger should close, by this process's clock, in milliseconds. */
  get nextCloseAt(): number {
    return this.#seenAt + this.#ledgers.secondsPerLedger * 1_000
  }
}
