/** A ledger as some answer named it; not every answer tells the close time. */
export interface Sighting {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime?: number | undefined
}

/**
 * The newest ledger that any endpoint has shown. A test network that begins anew counts from the
 * start again: a lower ledger that closed later than a higher one can only be of a new beginning,
 * while an endpoint that lags shows ledgers that are lower and older.
 */
export class NewestLedger {
  #sequence = 0
  /** The newest whose close time is known. */
  #timed: Required<Sighting> | undefined

  get sequence(): number {
    return this.#sequence
  }

  /** @returns true when it shows that the network began anew */
  observe({ sequence, closeTime }: Sighting): boolean {
    const isAnew = this.#beganAnew({ sequence, closeTime })
    if (isAnew) {
      this.#sequence = 0
      this.#timed = undefined
    }
    this.#sequence = Math.max(this.#sequence, sequence)
    if (typeof closeTime === 'number' && sequence >= (this.#timed?.sequence ?? 0)) {
      this.#timed = { sequence, closeTime }
    }
    return isAnew
  }

  #beganAnew({ sequence, closeTime }: Sighting): boolean {
    const timed = this.#timed
    if (!timed || typeof closeTime !== 'number') return false
    return sequence < timed.sequence && (closeTime ?? 0) > (timed.closeTime ?? 0)
  }
}
