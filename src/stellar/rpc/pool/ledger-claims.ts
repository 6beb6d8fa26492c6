import { areOfOneHistory, type KnownLedger } from './known-ledger.ts'

/** The other endpoints were asked in this time, again and again: they do not answer, or repeat one ledger. */
const UNCONTRADICTED_MS = 120_000

interface Claim {
  /** The first one of those that go on to `last`. */
  readonly since: number
  readonly last: KnownLedger
}

/** Reports of endpoints that do not continue the history known so far. */
export class LedgerClaims {
  readonly #claims = new Map<unknown, Claim>()

  /**
   * Whether the ledger is to be believed: another endpoint claims the same history; or this one has claimed it for minutes in
   * which the known history did not go on.
   *
   * @param advancedAt when the known history went on last, monotonic
   */
  isConfirmed(ledger: KnownLedger, advancedAt: number): boolean {
    const { from, observedAt } = ledger
    const earlier = this.#claims.get(from)
    const goesOn = earlier !== undefined && areOfOneHistory(earlier.last, ledger)
    const since = goesOn ? earlier.since : observedAt
    this.#claims.set(from, { since, last: ledger })
    for (const [other, { last }] of this.#claims) {
      if (other !== from && areOfOneHistory(last, ledger)) return true
    }
    return observedAt - Math.max(since, advancedAt) >= UNCONTRADICTED_MS
  }

  clear(): void {
    this.#claims.clear()
  }
}
