/** Reads the outcome of a payment from the answer to the call that carried it. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import { provesUnsent } from '../../payments/protocol/unsettled.ts'
import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { SellerAnswer } from '../seller/seller-http.ts'
import { shownAnswer } from '../seller/shown-answer.ts'
import { answeredWith } from './answered-with.ts'
import { PayFailure } from './pay-failure.ts'

/** Advice for the case that nothing proves the outcome. */
export const lookBeforePayingAgain = (payer: string): string =>
  `The payment may have been made, or may still be. Look at the account ${payer} before you pay again.`

/** The reason of a facilitator for a payment whose id it knows from another one. */
const IDENTIFIER_CONFLICT = 'payment_identifier_conflict'

const heldFor = (seconds: number): string =>
  `The seller holds the signed payment, and could still settle it for ${seconds} s.`

interface SignedBy {
  readonly payer: string
  readonly maxTimeoutSeconds: number
  /** Whether the payment has an identifier. */
  readonly hasId: boolean
}

/** The settlement of a paid answer. Throws PayFailure for any other answer: nothing is paid a second time. */
export function settlementOf(
  url: string,
  answer: SellerAnswer,
  { payer, maxTimeoutSeconds, hasId }: SignedBy,
): SettleResponse {
  const { status, headers, cut } = answer
  const shown = shownAnswer(answer)
  const settlement = readSettlement(headers.get('payment-response'))
  const isWhole = cut === null || cut === 'size'
  if (settlement?.success && status >= 200 && status < 300 && isWhole) return settlement
  if (settlement?.success) {
    const says = isWhole ? answeredWith(url, status) : 'broke off its answer'
    throw new PayFailure('paid_without_answer', `${url} took the payment and ${says}`, {
      hint: `The payment is settled: ${settlement.transaction}. ${hasId ? 'The same call again asks for its answer, and pays nothing more.' : 'Do not pay again for the same.'}`,
      transaction: settlement.transaction,
      answer: shown,
    })
  }
  const refusal = (says: string, reason: string | undefined) =>
    new PayFailure('refused', says, {
      hint: heldFor(maxTimeoutSeconds),
      answer: shown,
      reason,
    })
  if (hasId && (status === 409 || settlement?.errorReason === IDENTIFIER_CONFLICT)) {
    throw new PayFailure('identifier_conflict', `${url} holds another payment under the same id`, {
      hint: `Its outcome is not that of this payment. ${heldFor(maxTimeoutSeconds)}`,
      answer: shown,
    })
  }
  if (settlement && provesUnsent(settlement.errorReason ?? '')) {
    throw refusal(`the payment was refused: ${sentenceOf(settlement)}`, settlement.errorReason)
  }
  const required = decoded(headers.get('payment-required'), decodePaymentRequiredHeader)
  if (!settlement && status === 402 && required) {
    const { error } = Object(required)
    const reason = typeof error === 'string' && error !== '' ? error : undefined
    throw refusal(`${url} refused the payment${reason ? `: ${short(reason)}` : ''}`, reason)
  }
  const says = settlement
    ? `${answeredWith(url, status)}: ${sentenceOf(settlement)}`
    : `${answeredWith(url, status)} without saying what became of the payment`
  throw new PayFailure('outcome_unknown', `${url} ${says}`, {
    hint: lookBeforePayingAgain(payer),
    answer: shown,
    reason: settlement?.errorReason,
    ...(settlement?.transaction ? { transaction: settlement.transaction } : {}),
  })
}

const sentenceOf = ({ errorMessage, errorReason }: SettleResponse): string =>
  short([errorReason, errorMessage].filter(Boolean).join(': ') || 'without a reason')

/** Cuts a seller's text so that it fits into a sentence. */
const short = (text: string): string => cutTo(500, cleanLine(text))

/** A settlement in which texts are texts, and the transaction is a hash or empty. */
function readSettlement(header: string | null): SettleResponse | undefined {
  const settlement = decoded(header, decodePaymentResponseHeader)
  if (settlement === undefined || Object(settlement) !== settlement) return undefined
  const { success, transaction, errorReason, errorMessage, amount, ...others } = settlement
  const texts = Object.entries({ errorReason, errorMessage, amount }).filter(
    ([, value]) => typeof value === 'string',
  )
  const hash = typeof transaction === 'string' ? transaction.toLowerCase() : ''
  return {
    ...others,
    ...Object.fromEntries(texts),
    success: success === true,
    transaction: /^[0-9a-f]{64}$/.test(hash) ? hash : '',
  }
}

/** undefined for a header that is missing or unreadable. */
function decoded<T>(header: string | null, decode: (header: string) => T): T | undefined {
  if (header === null) return undefined
  try {
    return decode(header)
  } catch {
    return undefined
  }
}
