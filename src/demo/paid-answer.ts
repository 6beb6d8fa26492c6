/** What the answer to a call that carried a signed payment says about the payment. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import { printable } from '../core/printable.ts'
import { PayFailure } from './pay-failure.ts'

/**
 * Reasons of facilitators that prove that no transaction was sent (docs/errors.md). Any other one leaves the
 * outcome open: a transaction that is not final, a facilitator that failed after it had sent one.
 */
const unsentReason =
  /^(invalid_|insufficient_|unsupported_|network_mismatch$|verification_failed$|settle_upto_stellar_authorization_expired$|settle_exact_stellar_(sponsor_unavailable|payer_paused|channel_unavailable|signer_selection_failed|fee_bump_signing_failed|transaction_signing_failed)$)/

/** Whether a facilitator's reason proves that no transaction was sent. */
export const provesUnsent = (reason: string): boolean => unsentReason.test(reason)

/** What to do when nothing proves the outcome. */
export const lookBeforePayingAgain = (payer: string): string =>
  `The payment may have been made, or may still be. Look at the account ${payer} before you pay again.`

/** The answer's text. Throws PayFailure when it breaks off: the payment's header may be lost with it. */
export async function readAnswer(url: string, response: Response, payer: string): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    const hint = lookBeforePayingAgain(payer)
    throw new PayFailure('outcome_unknown', `${url} broke off its answer`, { hint, cause })
  }
}

/** The settlement of a paid answer. Throws PayFailure for any other answer. */
export function settlementOf(url: string, response: Response, payer: string): SettleResponse {
  const { status, ok, headers } = response
  const settlement = decoded(headers.get('payment-response'), decodePaymentResponseHeader)
  if (settlement?.success && ok) return settlement
  if (settlement?.success) {
    throw new PayFailure('paid_without_answer', `${url} took the payment and answered ${status}`, {
      hint: `The payment is settled: ${settlement.transaction}. Do not pay again for the same.`,
      transaction: settlement.transaction,
    })
  }
  if (settlement && provesUnsent(settlement.errorReason ?? '')) {
    throw new PayFailure('refused', `the payment was refused: ${reasonOf(settlement)}`)
  }
  const required = decoded(headers.get('payment-required'), decodePaymentRequiredHeader)
  if (!settlement && status === 402 && required) {
    const reason = required.error ? `: ${printable(required.error)}` : ''
    throw new PayFailure('refused', `${url} refused the payment${reason}`)
  }
  const says = settlement
    ? `answered ${status}: ${reasonOf(settlement)}`
    : `answered ${status} without saying what became of the payment`
  throw new PayFailure('outcome_unknown', `${url} ${says}`, {
    hint: lookBeforePayingAgain(payer),
    ...(settlement?.transaction ? { transaction: settlement.transaction } : {}),
  })
}

const reasonOf = ({ errorMessage, errorReason }: SettleResponse): string =>
  printable([errorReason, errorMessage].filter(Boolean).join(': ') || 'without a reason')

/** undefined for a header that is missing or unreadable. */
function decoded<T>(header: string | null, decode: (header: string) => T): T | undefined {
  if (header === null) return undefined
  try {
    return decode(header)
  } catch {
    return undefined
  }
}
