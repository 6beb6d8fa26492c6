/** Whether the authorization lives long enough to be used, and no longer than the required timeout. */
import type { PaymentPolicy } from '../protocol/policy.ts'
import type { ReasonCode } from '../protocol/reasons.ts'
import { type Check, rule } from './check.ts'

export interface ExpiryFacts {
  /** The last ledger in which the authorization is valid. */
  readonly expirationLedger: number
  readonly maxTimeoutSeconds: number
  /** The latest closed ledger; a later one will include the settlement. */
  readonly latestLedger: number
  readonly secondsPerLedger: number
  readonly policy: PaymentPolicy
}

/**
 * Ledgers granted beyond the bound. Client and facilitator each estimate the time of a ledger for themselves, and the client's
 * endpoint may be ahead of ours; stock facilitators grant the same two.
 */
const TOLERANCE_LEDGERS = 2

/**
 * A client that cannot measure the time of a ledger assumes five seconds. Where the network has just stood still, an estimate over
 * the last ledgers is far higher, and would refuse what that client signs.
 */
const MOST_SECONDS_PER_LEDGER = 5

/** Where a scheme may have codes of its own. */
interface ExpiryCodes {
  readonly expired: ReasonCode
  readonly expirationTooFar: ReasonCode
}

export const expiryChecks = (codes: ExpiryCodes): readonly Check<ExpiryFacts>[] => [
  rule('not expired', codes.expired, (facts) =>
    facts.expirationLedger < facts.latestLedger
      ? `the authorization expired after ledger ${facts.expirationLedger}, the latest is ${facts.latestLedger}`
      : undefined,
  ),

  rule(
    'leaves time to settle',
    'invalid_exact_stellar_signature_expiration_too_soon',
    ({ expirationLedger, latestLedger, policy }) => {
      // The latest ledger is closed: even without a margin the authorization has to be valid in the next one.
      const earliest = latestLedger + Math.max(1, policy.expirationMarginLedgers)
      return expirationLedger < earliest
        ? `the authorization expires after ledger ${expirationLedger}, expected ${earliest} or later`
        : undefined
    },
  ),

  rule(
    'keeps to the timeout',
    codes.expirationTooFar,
    ({ expirationLedger, latestLedger, maxTimeoutSeconds, secondsPerLedger }) => {
      const seconds = Math.min(secondsPerLedger, MOST_SECONDS_PER_LEDGER)
      const ledgers = Math.ceil(maxTimeoutSeconds / seconds)
      const last = latestLedger + ledgers + TOLERANCE_LEDGERS
      return expirationLedger > last
        ? `the authorization expires after ledger ${expirationLedger}, expected ${last} or earlier: ${maxTimeoutSeconds} s are ${ledgers} ledgers`
        : undefined
    },
  ),
]
