import { z } from 'zod'
import type { PaymentRequest, SettleResponse } from '../../protocol/protocol.ts'
import { type ReasonCode, reasons } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import { settledMembers } from '../../schemes/schemes.ts'
import type { SettlementFacts, StoredResponse } from '../../store/settlements/settlement.ts'
import type { SettleResult } from '../../usage/outcome.ts'

/** Members of every settle response. */
export interface SettleSubject {
  readonly network: string
  readonly payer?: string
}

export const subjectOf = (request: PaymentRequest, payer?: string): SettleSubject => ({
  network: request.paymentRequirements.network,
  ...(payer !== undefined && { payer }),
})

/** A settlement, as far as the answer to its success names it. */
export interface SettledPayment {
  readonly network: string
  readonly payer: string
  readonly paid: Pick<SettlementFacts, 'scheme' | 'amount'>
}

export const settled = (
  { network, payer, paid }: SettledPayment,
  transaction: string,
): SettleResponse => ({ success: true, transaction, network, payer, ...settledMembers(paid) })

export interface NotSettled {
  readonly code: ReasonCode
  /** The table's sentence when absent. */
  readonly message?: string
  /** Hash of what was sent, if anything was. */
  readonly transaction?: string
}

/** Every refusal of a payment, and every failure, becomes the answer of `/settle` here. Answers with an HTTP error status: `platform/http/refusals`. */
export const notSettled = (
  { network, payer }: SettleSubject,
  { code, message = reasons[code].message, transaction = '' }: NotSettled,
): SettleResponse => ({
  success: false,
  errorReason: code,
  errorMessage: message,
  transaction,
  network,
  ...(payer !== undefined && { payer }),
})

/** The result of a settle request that started no settlement. */
export const refusedPayment = (
  { request, payer }: Pick<Payment, 'request' | 'payer'>,
  why: NotSettled,
): SettleResult => ({ response: notSettled(subjectOf(request, payer), why) })

const storedAnswerSchema = z.discriminatedUnion('success', [
  z.object({
    success: z.literal(true),
    transaction: z.string(),
    network: z.string(),
    payer: z.string(),
    amount: z.string().exactOptional(),
  }),
  z.object({
    success: z.literal(false),
    errorReason: z.string(),
    errorMessage: z.string(),
    transaction: z.string(),
    network: z.string(),
    payer: z.string(),
  }),
])

/** Parses the response stored with a finished settlement. Throws when this service cannot have written it. */
export const storedAnswer = (response: StoredResponse): SettleResponse =>
  storedAnswerSchema.parse(response)
