import type { KnownLedger } from './known-ledger.ts'

/** Endpoints of one network agree within seconds; one that starts, or that was restarted, within minutes. */
const DISPUTED_MS = 120_000

/** An honest endpoint is ahead of the others by as much, again and again. Simulations may be as old. */
const HONEST_LEAD_LEDGERS = 2

/** An endpoint that no longer contradicts within it may have stopped. */
const RECENT_MS = 60_000

/**
 * Whether endpoints have contradicted the latest ledger for minutes, in which no second one has reached it.
 *
 * One endpoint may claim a false ledger, fall back until a second one has reached it, and claim the next: so the time of disputes adds up,
 * until no endpoint was ahead alone for two minutes.
 */
export class LedgerDispute {
  /** The last ledger of each endpoint that contradicts. */
  readonly #ledgers = new Map<unknown, number>()
  /** Monotonic times of the first and the last answer that contradicted. */
  #since = 0
  #last = Number.NEGATIVE_INFINITY
  #lead = 0
  /** The time of all disputes together in which one endpoint was ahead, and when it grew last. */
  #aheadMs = 0
  #aheadUntil = Number.NEGATIVE_INFINITY
  #ahead = 0

  /**
   * An endpoint that repeats one ledger has stopped: it contradicts only with answers that are refused.
   *
   * @param lead ledgers by which the latest one is ahead of this answer; infinite when the answer is refused
   * @param ahead ledgers by which one endpoint is ahead of all others; 0 when a second one has reached the latest ledger
   */
  contradict({ from, sequence, observedAt }: KnownLedger, lead: number, ahead: number): void {
    const goesOn = sequence > (this.#ledgers.get(from) ?? 0)
    this.#ledgers.set(from, sequence)
    if (!goesOn && Number.isFinite(lead)) return
    if (ahead > HONEST_LEAD_LEDGERS) this.#countAhead(observedAt)
    this.#ahead = ahead
    if (!this.#isLong && observedAt - this.#last > DISPUTED_MS) this.#since = observedAt
    this.#last = Math.max(this.#last, observedAt)
    this.#lead = lead
  }

  /** After a second endpoint has reached the latest ledger, and when the history restarts. */
  end(): void {
    this.#last = Number.NEGATIVE_INFINITY
    this.#ledgers.clear()
  }

  /**
   * 0 without a dispute. One of two minutes lasts until it is ended, also when the endpoints that contradict no longer answer.
   *
   * @param now monotonic
   */
  leadAt(now: number): number {
    if (this.#isLong) return this.#lead
    return this.#aheadMs >= DISPUTED_MS && now - this.#last <= RECENT_MS ? this.#ahead : 0
  }

  get #isLong(): boolean {
    return this.#last - this.#since >= DISPUTED_MS
  }

  #countAhead(at: number): void {
    const isContinued = at - this.#last <= DISPUTED_MS
    const from = isContinued ? this.#last : at
    if (from - this.#aheadUntil > DISPUTED_MS) this.#aheadMs = 0
    if (!isContinued) return
    this.#aheadMs += at - from
    this.#aheadUntil = at
  }
}
