/** Buyer and seller read from the reason of a settlement that did not succeed whether it was sent, or may succeed later. */
import { isReasonCode, reasonOf } from './reasons.ts'

/** Reasons of other facilitators that prove that no transaction was sent. */
const foreignUnsent =
  /^(invalid_|insufficient_|unsupported_|verification_failed$|settle_exact_stellar_(signer_selection|transaction_signing)_failed$)/

/**
 * Whether a facilitator's reason proves that no transaction was sent. Any other one leaves the outcome open: a transaction that is not
 * final, a facilitator that failed after it had sent one.
 */
export const provesUnsent = (reason: string): boolean =>
  isReasonCode(reason) ? !reasonOf(reason).mayBeSent : foreignUnsent.test(reason)

/** Whether the same request may yet be settled: its transaction may be sent, or the service has a fault that may pass. */
export function maySettleLater(reason: string): boolean {
  if (!isReasonCode(reason)) return false
  const { retryable, mayBeSent = false, isServiceFault = false } = reasonOf(reason)
  return retryable && (mayBeSent || isServiceFault)
}
