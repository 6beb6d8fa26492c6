import type { KnownLedger } from './known-ledger.ts'

/** Endpoints of one network agree within seconds; one that starts, or that was restarted, within minutes. */
const DISPUTED_MS = 120_000

/** Whether endpoints have contradicted the latest ledger for minutes, in which no second one has reached it. */
export class LedgerDispute {
  /** The last ledger of each endpoint that contradicts. */
  readonly #ledgers = new Map<unknown, number>()
  /** Monotonic times of the first and the last answer that contradicted. */
  #since = 0
  #last = Number.NEGATIVE_INFINITY
  #lead = 0

  /**
   * An endpoint that repeats one ledger has stopped: it contradicts only with answers that are refused.
   *
   * @param lead ledgers by which the latest one is ahead of this answer; infinite when the answer is refused
   */
  contradict({ from, sequence, observedAt }: KnownLedger, lead: number): void {
    const goesOn = sequence > (this.#ledgers.get(from) ?? 0)
    this.#ledgers.set(from, sequence)
    if (!goesOn && Number.isFinite(lead)) return
    if (this.lead === 0 && observedAt - this.#last > DISPUTED_MS) this.#since = observedAt
    this.#last = Math.max(this.#last, observedAt)
    this.#lead = lead
  }

  /** After a second endpoint has reached the latest ledger, and when the history restarts. */
  end(): void {
    this.#last = Number.NEGATIVE_INFINITY
    this.#ledgers.clear()
  }

  /** 0 without a dispute. It lasts until it is ended, also when the endpoints that contradict no longer answer. */
  get lead(): number {
    return this.#last - this.#since >= DISPUTED_MS ? this.#lead : 0
  }
}
