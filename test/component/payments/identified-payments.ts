/** Payments with an id (x402 extension `payment-identifier`), and how a service refuses the second one of an id. */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
} from '@x402/extensions/payment-identifier'
import { expect } from 'vitest'
import type { PaymentBody } from '../../support/payments.ts'
import type { Replica } from '../../support/stack.ts'
import { keyOf } from './store-view.ts'

export type Service = Pick<Replica, 'post'>

/** The echo of a seller's offer, as the stock client makes it; without an id, as one makes it that knows no extension. */
function extensionsWith(id?: string): Record<string, unknown> {
  const offered = { 'payment-identifier': declarePaymentIdentifierExtension(false) }
  return id === undefined ? offered : appendPaymentIdentifierToExtensions(offered, id)
}

export function identified(body: PaymentBody, id?: string): PaymentBody {
  body.paymentPayload['extensions'] = extensionsWith(id)
  return body
}

/** What the stock clients take. */
export const partsOf = ({ paymentPayload, paymentRequirements }: PaymentBody) =>
  [
    paymentPayload as unknown as PaymentPayload,
    paymentRequirements as unknown as PaymentRequirements,
  ] as const

export async function settleAt(service: Service, body: PaymentBody) {
  const answer = await service.post('/settle', body)
  return { status: answer.status, ...answer.body }
}

/** The answer to a caller with an API key. */
export async function askWithKey(url: string, body: PaymentBody, key: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** Expects the conflict from both routes. @param fate of the first payment */
export async function expectConflictAt(
  service: Service,
  body: PaymentBody,
  fate: RegExp,
): Promise<void> {
  const { payer } = keyOf(body)
  const message = expect.stringMatching(
    new RegExp(`^another payment has this payment identifier: it ${fate.source}`),
  )
  const verified = await service.post('/verify', body)
  expect({ status: verified.status, ...verified.body }).toEqual({
    status: 409,
    isValid: false,
    invalidReason: 'payment_identifier_conflict',
    invalidMessage: message,
    payer,
  })
  expect(await settleAt(service, body)).toEqual({
    status: 409,
    success: false,
    errorReason: 'payment_identifier_conflict',
    errorMessage: message,
    transaction: '',
    network: 'stellar:testnet',
    payer,
  })
}
