import type { Clock } from '../../../platform/core/time/clock.ts'

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
/** A close time further ahead of this process's clock is absurd: milliseconds, say. A clock may be wrong, and ledgers closed by hand. */
const MAX_AHEAD_SECONDS = 30 * 24 * 3_600

/** After an endpoint had claimed a reset that was none, no other claim is believed for this long. */
const NO_RESET_MS = 60_000

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
  /** The reference before the last reset. */
  #beforeReset: KnownLedger | undefined
  #noResetUntil = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get sequence(): number {
    return this.#sequence
  }

  /** False when the ledger cannot be of this network now: then it changes nothing. */
  observe(ledger: AnswerLedger): boolean {
    if (!this.#hasPossibleTime(ledger)) return false
    if (this.#isReset(ledger)) {
      if (this.#clock.now() < this.#noResetUntil) return false
      this.#beforeReset = this.#reference
      this.#restartAt(ledger)
    } else if (this.#wasNoReset(ledger)) {
      this.#beforeReset = undefined
      this.#noResetUntil = this.#clock.now() + NO_RESET_MS
      this.#restartAt(ledger)
    }
    if (this.#reference && !this.#mayFollow(this.#reference, ledger)) return false
    this.#sequence = Math.max(this.#sequence, ledger.sequence)
    if (this.#isBetterReference(ledger)) this.#reference = this.#known(ledger)
    return true
  }

  #restartAt(ledger: AnswerLedger): void {
    this.#sequence = ledger.sequence
    this.#reference = this.#known(ledger)
  }

  /** Also when the first answers, without close times, turn out to have been absurd. */
  #isReset({ sequence, closeTime }: AnswerLedger): boolean {
    const reference = this.#reference
    if (!reference || closeTime === undefined) return false
    if (reference.closeTime === undefined) return sequence < this.#sequence - MAX_LEAD_LEDGERS
    return sequence < reference.sequence && closeTime > reference.closeTime
  }

  /**
   * Whether the ledgers from before a reset go on: then one endpoint had only claimed an absurdly low number.
   * A ledger from before a true reset that an endpoint reports late has closed before the first ledger after the reset.
   */
  #wasNoReset(ledger: AnswerLedger): boolean {
    const before = this.#beforeReset
    const { closeTime } = ledger
    if (!before || closeTime === undefined || ledger.sequence < before.sequence) return false
    return closeTime >= (this.#reference?.closeTime ?? 0) && this.#mayFollow(before, ledger)
  }

  #hasPossibleTime({ closeTime = 0 }: AnswerLedger): boolean {
    return closeTime <= this.#clock.now() / 1_000 + MAX_AHEAD_SECONDS
  }

  #mayFollow(reference: KnownLedger, { sequence, closeTime }: AnswerLedger): boolean {
    // The first ledger with a close time: as the first of all, it has none to be compared with.
    if (reference.closeTime === undefined && closeTime !== undefined) return true
    const lead = sequence - reference.sequence
    const byClock = (this.#clock.now() - reference.observedAt) / 1_000
    const byLedgers = (closeTime ?? 0) - (reference.closeTime ?? closeTime ?? 0)
    if (lead > 0 && closeTime !== undefined && byLedgers < 0) return false
    return lead <= Math.max(0, byClock, byLedgers) + MAX_LEAD_LEDGERS
  }

  #isBetterReference({ sequence, closeTime }: AnswerLedger): boolean {
    const reference = this.#reference
    if (!reference) return true
    if (closeTime === undefined) return false
    return reference.closeTime === undefined || sequence > reference.sequence
  }

  #known(ledger: AnswerLedger): KnownLedger {
    return { ...ledger, observedAt: this.#clock.now() }
  }
}
