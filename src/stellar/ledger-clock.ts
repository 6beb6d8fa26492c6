/**
 * Seconds per ledger, estimated as stock x402 clients do: whole seconds, rounded up, over the last 20
 * ledgers. The facilitator checks an expiry with the rule by which the client chose it.
 */
const FALLBACK_SECONDS_PER_LEDGER = 5
const WINDOW_LEDGERS = 20

export interface LedgerSample {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
}

export class LedgerClock {
  /** Oldest first, in rising order of sequence and close time. */
  #samples: readonly LedgerSample[] = []

  /** Adds a ledger. Repeated and slightly older ones change nothing; a much older one restarts the estimate. */
  observe(sample: LedgerSample): void {
    const latest = this.latest
    if (latest && sample.sequence < latest.sequence - WINDOW_LEDGERS) this.#restart(sample)
    else if (!latest || sample.sequence > latest.sequence) this.#append(sample)
  }

  get latest(): LedgerSample | undefined {
    return this.#samples.at(-1)
  }

  get secondsPerLedger(): number {
    const oldest = this.#samples[0]
    const latest = this.latest
    if (!oldest || !latest || latest === oldest) return FALLBACK_SECONDS_PER_LEDGER
    const seconds = latest.closeTime - oldest.closeTime
    return Math.max(1, Math.ceil(seconds / (latest.sequence - oldest.sequence)))
  }

  #append(sample: LedgerSample): void {
    this.#samples = [...this.#samples, sample].filter(
      ({ sequence }) => sequence > sample.sequence - WINDOW_LEDGERS,
    )
  }

  /** The network was reset, as test networks are: earlier samples are of another history. */
  #restart(sample: LedgerSample): void {
    this.#samples = [sample]
  }
}
