import type { Clock } from '../../../platform/core/time/clock.ts'
import { LedgerClock, type LedgerSample } from '../../../stellar/rpc/ledger-clock.ts'
import { type LedgerTip, RpcError, type StellarRpc } from '../../../stellar/rpc/rpc.ts'

/** The longest time between two polls, in milliseconds, with which a ledger's close is known precisely enough. */
const PRECISE_MS = 500

/** No transaction has this hash: the answer is about the ledgers only. */
const NO_HASH = '0'.repeat(64)

type TimeRpc = Pick<StellarRpc, 'latestLedger' | 'transaction'>

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

  /**
   * Reads the latest ledger. Until the time of a ledger is known also which ledgers the network retains:
   * without that, the checks of the first seconds would assume five seconds a ledger, and refuse an expiry that a
   * client chose by the true pace.
   */
  async read(rpc: TimeRpc, signal: AbortSignal): Promise<LedgerTip> {
    const tip = await rpc.latestLedger(signal)
    this.observe(tip)
    if (!this.#ledgers.isMeasured) await this.#readRetained(rpc, signal)
    return tip
  }

  /** A failure changes nothing: the next read tries again. */
  async #readRetained(rpc: TimeRpc, signal: AbortSignal): Promise<void> {
    try {
      const range = await rpc.transaction(NO_HASH, signal)
      this.#ledgers.observeRetained(
        { sequence: range.oldestLedger, closeTime: range.oldestCloseTime },
        { sequence: range.latestLedger, closeTime: range.latestCloseTime },
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RpcError)) throw error
    }
  }

  /** Whole seconds, rounded up. */
  get secondsPerLedger(): number {
    return this.#ledgers.secondsPerLedger
  }

  /** The latest closed ledger that was observed; undefined before the first. */
  get latestLedger(): number | undefined {
    return this.#ledgers.latest?.sequence
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
