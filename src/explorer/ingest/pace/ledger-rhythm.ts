import type { IngestTimings } from '../timings.ts'

/** Intervals between ledgers that are remembered. */
const INTERVALS = 8
/** The network is regular while the intervals differ by no more; public networks vary by about a second. */
const REGULAR_WITHIN_MS = 2_000
const MIN_INTERVALS = 2

/**
 * When to ask for the next ledger: shortly before it can come, by the shortest of the last intervals, and then often.
 * In a network with regular ledgers that is one or two requests for each.
 */
export class LedgerRhythm {
  readonly #timings: Pick<IngestTimings, 'pollMs' | 'irregularPollMs'>
  #intervals: readonly number[] = []
  #lastLedger = 0
  #lastSeenAt: number | undefined

  constructor(timings: Pick<IngestTimings, 'pollMs' | 'irregularPollMs'>) {
    this.#timings = timings
  }

  /** @param now of a clock that never goes back, in milliseconds */
  observe(latestLedger: number, now: number): void {
    const ledgers = latestLedger - this.#lastLedger
    if (ledgers === 0) return
    const isNext = ledgers > 0 && this.#lastLedger > 0
    if (this.#lastSeenAt !== undefined && isNext) {
      const interval = (now - this.#lastSeenAt) / ledgers
      this.#intervals = [...this.#intervals, interval].slice(-INTERVALS)
    } else {
      this.#intervals = []
    }
    this.#lastLedger = latestLedger
    this.#lastSeenAt = now
  }

  /** Milliseconds until the next request. */
  pauseMs(now: number): number {
    const { pollMs, irregularPollMs } = this.#timings
    const shortest = Math.min(...this.#intervals)
    if (this.#lastSeenAt === undefined || this.#intervals.length < MIN_INTERVALS) return pollMs
    // The ledger seen at a poll may have closed up to one poll interval earlier.
    const earliest = this.#lastSeenAt + shortest - pollMs
    const isRegular = Math.max(...this.#intervals) - shortest <= REGULAR_WITHIN_MS
    const untilDue = isRegular ? earliest - now : Math.min(earliest - now, irregularPollMs)
    if (untilDue > 0) return Math.max(untilDue, pollMs)
    const isOverdue = now > this.#lastSeenAt + Math.max(...this.#intervals) + irregularPollMs
    return isOverdue ? irregularPollMs : pollMs
  }
}
