/** The ledger an answer was given at; some answers lack the close time. */
export interface AnswerLedger {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime?: number | undefined
}

/**
 * The latest ledger that any endpoint has reported. A test network that is reset counts from 1 again.
 * A lower ledger that closed later than a higher one proves a reset; an endpoint that lags reports
 * ledgers that are lower and closed earlier.
 */
export class LatestLedger {
  #sequence = 0
  /** The latest one whose close time is known. */
  #timed: Required<AnswerLedger> | undefined

  get sequence(): number {
    return this.#sequence
  }

  observe({ sequence, closeTime }: AnswerLedger): void {
    if (this.#wasReset({ sequence, closeTime })) {
      this.#sequence = 0
      this.#timed = undefined
    }
    this.#sequence = Math.max(this.#sequence, sequence)
    if (typeof closeTime === 'number' && sequence >= (this.#timed?.sequence ?? 0)) {
      this.#timed = { sequence, closeTime }
    }
  }

  #wasReset({ sequence, closeTime }: AnswerLedger): boolean {
    const timed = this.#timed
    if (!timed || typeof closeTime !== 'number') return false
    return sequence < timed.sequence && closeTime > (timed.closeTime ?? 0)
  }
}
