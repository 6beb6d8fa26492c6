/**
 * How long a ledger takes, as stock x402 clients estimate it: whole seconds, rounded up, over
 * the last 20 ledgers. A client's expiry is judged by the same rule it was made with.
 */
export const FALLBACK_SECONDS_PER_LEDGER = 5
const LEDGERS_LOOKED_AT = 20

export interface LedgerSample {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
}

export class LedgerClock {
  /** Oldest first; sequence and close time both rise. */
  #samples: readonly LedgerSample[] = []

  /** Takes in a ledger seen in passing. Older and repeated ones change nothing. */
  observe(sample: LedgerSample): void {
    const newest = this.newest
    if (newest && sample.sequence < newest.sequence - LEDGERS_LOOKED_AT) this.#restart(sample)
    else if (!newest || sample.sequence > newest.sequence) this.#append(sample)
  }

  get newest(): LedgerSample | undefined {
    return this.#samples.at(-1)
  }

  get secondsPerLedger(): number {
    const oldest = this.#samples[0]
    const newest = this.newest
    if (!oldest || !newest || newest === oldest) return FALLBACK_SECONDS_PER_LEDGER
    const seconds = newest.closeTime - oldest.closeTime
    return Math.max(1, Math.ceil(seconds / (newest.sequence - oldest.sequence)))
  }

  #append(sample: LedgerSample): void {
    this.#samples = [...this.#samples, sample].filter(
      ({ sequence }) => sequence > sample.sequence - LEDGERS_LOOKED_AT,
    )
  }

  /** The network began anew, as test networks do: what was seen before says nothing. */
  #restart(sample: LedgerSample): void {
    this.#samples = [sample]
  }
}
