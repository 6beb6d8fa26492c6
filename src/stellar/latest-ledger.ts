import type { Clock } from '../core/clock.ts'

/** The ledger an answer was given at; some answers lack the close time. */
export interface AnswerLedger {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime?: number | undefined
}

interface KnownLedger extends AnswerLedger {
  /** By the clock of this process, in milliseconds. */
  readonly observedAt: number
}

/** Ledgers by which a network may be ahead of one ledger a second: several that were closed by hand. */
const MAX_LEAD_LEDGERS = 12

/**
 * The latest ledger that any endpoint has reported. A test network that is reset counts from 1 again.
 * A lower ledger that closed later than a higher one proves a reset; an endpoint that lags reports
 * ledgers that are lower and closed earlier.
 *
 * One absurd number must not make every honest endpoint lag forever, so after the first answer the number
 * may rise by one a second only. The seconds count by this process's clock or by the ledgers' own close times,
 * whichever is more: a test network may close many ledgers at once, with the close times of a longer time.
 * Public networks close one in five seconds.
 */
export class LatestLedger {
  readonly #clock: Pick<Clock, 'now'>
  #sequence = 0
  /** The latest one with a close time; before the first such answer, the latest one. */
  #reference: KnownLedger | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get sequence(): number {
    return this.#sequence
  }

  /** False when the ledger cannot be of this network now: then it changes nothing. */
  observe(ledger: AnswerLedger): boolean {
    if (this.#restartsAt(ledger)) {
      this.#sequence = 0
      this.#reference = undefined
    }
    if (!this.#isPossible(ledger)) return false
    this.#sequence = Math.max(this.#sequence, ledger.sequence)
    if (this.#isBetterReference(ledger)) {
      this.#reference = { ...ledger, observedAt: this.#clock.now() }
    }
    return true
  }

  /** After a reset, or when the first answers, without close times, turn out to have been absurd. */
  #restartsAt({ sequence, closeTime }: AnswerLedger): boolean {
    const reference = this.#reference
    if (!reference || closeTime === undefined) return false
    if (reference.closeTime === undefined) return sequence < this.#sequence - MAX_LEAD_LEDGERS
    return sequence < reference.sequence && closeTime > reference.closeTime
  }

  #isPossible({ sequence, closeTime }: AnswerLedger): boolean {
    const reference = this.#reference
    if (!reference) return true
    const byClock = (this.#clock.now() - reference.observedAt) / 1_000
    const byLedgers = (closeTime ?? 0) - (reference.closeTime ?? closeTime ?? 0)
    const seconds = Math.max(0, byClock, byLedgers)
    return sequence - reference.sequence <= seconds + MAX_LEAD_LEDGERS
  }

  #isBetterReference({ sequence, closeTime }: AnswerLedger): boolean {
    const reference = this.#reference
    if (!reference) return true
    if (closeTime === undefined) return false
    return reference.closeTime === undefined || sequence > reference.sequence
  }
}
