import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import {
  type AnswerLedger,
  isInTime,
  type KnownLedger,
  MAX_LEAD_LEDGERS,
  MAX_LEAD_SECONDS,
  mayFollow,
} from './known-ledger.ts'
import { LedgerClaims } from './ledger-claims.ts'
import { LedgerDispute } from './ledger-dispute.ts'

/** A close time further ahead of this process's clock is absurd: milliseconds, say. A clock may be wrong, and ledgers closed by hand. */
const MAX_AHEAD_SECONDS = 30 * 24 * 3_600

/** After an endpoint had claimed a reset that was none, no other claim is believed for this long. */
const NO_RESET_MS = 60_000

/** An answer from before a change of the history comes no later than this: longer than a request waits and is answered. */
const LATE_MS = 30_000

/** The latest ledger of an endpoint that is up to date closed no longer ago: twelve ledgers of a public network. */
const CURRENT_SECONDS = 60

/** `former`: the one before the last change. */
type Change = 'new' | 'former' | 'refused'

type LedgerTime = Pick<SteadyClock, 'now' | 'monotonic'>

/**
 * The latest ledger that any endpoint has reported. A test network that is reset counts from 1 again.
 * A lower ledger that closed later than a higher one proves a reset; an endpoint that lags reports
 * ledgers that are lower and closed earlier.
 *
 * One absurd number must not make every honest endpoint lag forever, so after the first answer the number
 * may rise by one a second only. The seconds count by this process's clock or by the ledgers' own close times,
 * whichever is more: a test network may close many ledgers at once, with the close times of a longer time.
 * Public networks close one in five seconds.
 *
 * Where there are several endpoints, one alone can neither reset the network nor move its time on by more than the time that passed and some
 * minutes: a second one has to report the same. A single endpoint is believed, and again when it goes back to its first history.
 *
 * The highest ledger may be the claim of one endpoint alone. It counts against the others until they have contradicted it for
 * minutes, with ledgers that go on and have just closed: then the ledger counts that two have reached.
 */
export class LatestLedger {
  readonly #clock: LedgerTime
  readonly #isSingle: boolean
  readonly #claims = new LedgerClaims()
  readonly #dispute = new LedgerDispute()
  /** The highest ledger of each endpoint. */
  readonly #reached = new Map<unknown, number>()
  #highest = 0
  /** The endpoint that reported the highest ledger first. */
  #leader: unknown
  /** The latest one with a close time; before the first such answer, the latest one. */
  #reference: KnownLedger | undefined
  /** The latest one that two endpoints have reported, about. */
  #confirmed: KnownLedger | undefined
  /** The reference before the last change of the history. */
  #before: KnownLedger | undefined
  /** When the history changed last, monotonic. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** Monotonic, as `changedAt`. */
  #noResetUntil = Number.NEGATIVE_INFINITY

  constructor(clock: LedgerTime, endpoints: number) {
    this.#clock = clock
    this.#isSingle = endpoints === 1
  }

  get sequence(): number {
    return this.isDisputed ? this.#reachedByTwo : this.#highest
  }

  /** Whether endpoints have contradicted each other for minutes by more than honest ones differ: then none is believed alone. */
  get isDisputed(): boolean {
    return this.#disputedLead > MAX_LEAD_LEDGERS
  }

  /** An answer of this endpoint from an earlier ledger is too old. */
  requiredOf(from: unknown): number {
    if (this.#disputedLead === 0) return this.#highest
    return Math.max(this.#reachedByTwo, this.#reached.get(from) ?? 0)
  }

  get #disputedLead(): number {
    return this.#dispute.leadAt(this.#clock.monotonic())
  }

  get #reachedByTwo(): number {
    const [highest = 0, second = highest] = [...this.#reached.values()].toSorted((a, b) => b - a)
    return second
  }

  /**
   * False when the ledger cannot be of this network now: then it changes nothing.
   *
   * @param from the endpoint; the same value for each of its answers
   */
  observe(answer: AnswerLedger, from: unknown): boolean {
    const ledger = { ...answer, from, observedAt: this.#clock.monotonic() }
    const isAccepted = this.#accept(ledger)
    if (!this.#isSingle) this.#compare(ledger, isAccepted)
    if (isAccepted) this.#reach(ledger)
    return isAccepted
  }

  #accept(ledger: KnownLedger): boolean {
    if (!this.#hasPossibleTime(ledger)) return false
    const change = this.#reference && this.#changeOfHistory(this.#reference, ledger)
    if (change === 'refused') return this.#isSlightlyLower(ledger)
    if (change) this.#restartAt(ledger, change)
    if (ledger.closeTime === undefined) this.#reference ??= ledger
    else this.#advance(ledger, ledger.closeTime)
    return true
  }

  /** With what other endpoints have reported before. */
  #compare(ledger: KnownLedger, isAccepted: boolean): void {
    const { sequence, closeTime, from } = ledger
    const ahead = this.#highest - this.#reachedByTwo
    if (!isAccepted) {
      // Without a close time the endpoint is asked again, which decides.
      if (closeTime !== undefined) this.#dispute.contradict(ledger, Number.POSITIVE_INFINITY, ahead)
      return
    }
    if (from === this.#leader) return
    if (sequence >= this.#highest) {
      this.#dispute.end()
      return
    }
    const isCurrent = (closeTime ?? 0) >= this.#clock.now() / 1_000 - CURRENT_SECONDS
    const lead = this.#highest - sequence
    if (isCurrent) this.#dispute.contradict(ledger, lead, Math.min(lead, ahead))
  }

  #reach({ sequence, from }: KnownLedger): void {
    this.#reached.set(from, Math.max(sequence, this.#reached.get(from) ?? 0))
    if (sequence <= this.#highest) return
    this.#highest = sequence
    this.#leader = from
  }

  /** Undefined when the ledger continues the history of the reference. */
  #changeOfHistory(reference: KnownLedger, ledger: KnownLedger): Change | undefined {
    const { sequence, closeTime } = ledger
    const earlier = [reference, this.#confirmed ?? reference]
    const follows = earlier.every((each) => mayFollow(each, ledger))
    if (closeTime === undefined) return follows ? undefined : 'refused'
    // The first answers, without close times, may turn out to have been absurd.
    if (reference.closeTime === undefined) {
      return sequence < this.#highest - MAX_LEAD_LEDGERS ? 'new' : undefined
    }
    const isReset = sequence < reference.sequence && closeTime > reference.closeTime
    const isAhead = !this.#isInTime(ledger)
    if (this.#isSingle) {
      if (isReset) return this.#clock.monotonic() < this.#noResetUntil ? 'refused' : 'new'
      if (this.#goesBack(reference, ledger)) return 'former'
      if (follows) return isAhead ? 'new' : undefined
    }
    const contradicts = isReset || isAhead || this.#isBeforeItsTime(reference, ledger)
    if (follows && !contradicts) return undefined
    if (this.#mayBeLate(reference, ledger)) return 'refused'
    return this.#claims.isConfirmed(ledger, reference.observedAt) ? 'new' : 'refused'
  }

  /** By the confirmed ledger too, so that one endpoint cannot move the time on step by step. */
  #isInTime(ledger: KnownLedger): boolean {
    return [this.#reference, this.#confirmed].every(
      (earlier) => !earlier || isInTime(earlier, ledger, this.#clock.now()),
    )
  }

  /** Whether no other endpoint has confirmed the reference, and it closes later than this ledger allows. */
  #isBeforeItsTime(reference: KnownLedger, ledger: KnownLedger): boolean {
    if (this.#confirmed || ledger.from === reference.from) return false
    return !isInTime(ledger, reference, this.#clock.now())
  }

  /** By so little that a false reference, which one endpoint may report, explains it too. */
  #isSlightlyLower(ledger: KnownLedger): boolean {
    const lead = ledger.sequence - (this.#reference?.sequence ?? 0)
    return lead < 0 && lead >= -MAX_LEAD_LEDGERS && this.#isInTime(ledger)
  }

  /** Whether the ledgers from before the last change go on: then the endpoint had only once claimed another history. */
  #goesBack(reference: KnownLedger, ledger: KnownLedger): boolean {
    const before = this.#before
    if (!before || ledger.sequence < before.sequence) return false
    if (this.#mayBeLate(reference, ledger)) return false
    return mayFollow(before, ledger) && isInTime(before, ledger, this.#clock.now())
  }

  /** A ledger from before a true reset that an endpoint reports late has closed before the first ledger after the reset. */
  #mayBeLate(reference: KnownLedger, { closeTime = 0, observedAt }: KnownLedger): boolean {
    return closeTime < (reference.closeTime ?? 0) && observedAt - this.#changedAt < LATE_MS
  }

  #hasPossibleTime({ closeTime = 0 }: AnswerLedger): boolean {
    return closeTime <= this.#clock.now() / 1_000 + MAX_AHEAD_SECONDS
  }

  #restartAt(ledger: KnownLedger, change: Change): void {
    if (change === 'former') this.#noResetUntil = ledger.observedAt + NO_RESET_MS
    this.#before = change === 'former' ? undefined : this.#reference
    this.#changedAt = ledger.observedAt
    this.#highest = 0
    this.#reached.clear()
    this.#dispute.end()
    this.#reference = ledger
    this.#confirmed = undefined
    this.#claims.clear()
  }

  #advance(ledger: KnownLedger, closeTime: number): void {
    const reference = this.#reference
    if (reference?.closeTime !== undefined) {
      const lead = ledger.sequence - reference.sequence
      const isOfTwo = ledger.from !== reference.from && Math.abs(lead) <= MAX_LEAD_LEDGERS
      const isClose = Math.abs(closeTime - reference.closeTime) <= MAX_LEAD_SECONDS
      if (isOfTwo && isClose) this.#confirmed = lead < 0 ? ledger : reference
      if (lead <= 0) return
    }
    this.#reference = ledger
  }
}
