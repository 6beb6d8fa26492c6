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
  /** Undefined until the retained ledgers were observed. */
  #retainedSecondsPerLedger: number | undefined

  /** Adds a ledger. Repeated and slightly older ones change nothing; a much older one restarts the estimate. */
  observe(sample: LedgerSample): void {
    const latest = this.latest
    if (latest && sample.sequence < latest.sequence - WINDOW_LEDGERS) this.#restart(sample)
    else if (!latest || sample.sequence > latest.sequence) this.#append(sample)
  }

  /**
   * Estimates from the oldest and the latest ledger that the network retains, until two ledgers have been
   * observed. Never more than the fallback: the network may have stood still in between, and an estimate that
   * is too high refuses honest authorizations, while one that is too low grants them a few ledgers more.
   */
  observeRetained(oldest: LedgerSample, latest: LedgerSample): void {
    if (latest.sequence <= oldest.sequence) return
    this.#retainedSecondsPerLedger = Math.min(
      FALLBACK_SECONDS_PER_LEDGER,
      averageSeconds(oldest, latest),
    )
  }

  /** Whether the estimate is of ledgers that were observed, or of those that the network retains. */
  get isMeasured(): boolean {
    return this.#samples.length > 1 || this.#retainedSecondsPerLedger !== undefined
  }

  get latest(): LedgerSample | undefined {
    return this.#samples.at(-1)
  }

  get secondsPerLedger(): number {
    const oldest = this.#samples[0]
    const latest = this.latest
    if (oldest && latest && latest !== oldest) return averageSeconds(oldest, latest)
    return this.#retainedSecondsPerLedger ?? FALLBACK_SECONDS_PER_LEDGER
  }

  #append(sample: LedgerSample): void {
    this.#samples = [...this.#samples, sample].filter(
      ({ sequence }) => sequence > sample.sequence - WINDOW_LEDGERS,
    )
  }

  /** The network was reset, as test networks are: earlier samples are of another history. */
  #restart(sample: LedgerSample): void {
    this.#samples = [sample]
    this.#retainedSecondsPerLedger = undefined
  }
}

const averageSeconds = (oldest: LedgerSample, latest: LedgerSample): number =>
  Math.max(
    1,
    Math.ceil((latest.closeTime - oldest.closeTime) / (latest.sequence - oldest.sequence)),
  )
