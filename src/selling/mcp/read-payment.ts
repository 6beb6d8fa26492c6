import { parsePaymentPayload } from '@x402/core/schemas'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { isWithinLevels, jsonBytes } from '../../catalog/declaration/json-values.ts'
import {
  paymentIdentifierOf,
  requiresPaymentIdentifier,
} from '../../payments/protocol/payment-identifier.ts'

/** A facilitator of this project takes bodies of 128 KiB, which have the requirements too. */
const MAX_BYTES = 65_536
/** Without a bound a small payment could exhaust the stack of recursive code. */
const MAX_LEVELS = 32

/** Why a payment is refused before anyone is asked, in `error` of the answer. */
type Refusal =
  | 'payment_malformed'
  | 'payment_too_large'
  | 'payment_for_another_resource'
  | 'payment_identifier_malformed'
  | 'payment_identifier_required'

export type ReadPayment =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: Refusal }
  | {
      readonly kind: 'given'
      /** As the buyer sent it, unknown members included. */
      readonly payment: PaymentPayload
      /** Of the extension `payment-identifier`. */
      readonly id: string | undefined
    }

/** Reads the member of `_meta` that has the payment; it may be any JSON, for a tool that is on offer. */
export function readPayment(given: unknown, offer: PaymentRequired): ReadPayment {
  if (given === undefined || given === null) return { kind: 'absent' }
  if (typeof given !== 'object') return refused('payment_malformed')
  if (!isWithinLevels(MAX_LEVELS, given)) return refused('payment_too_large')
  if (jsonBytes(given) > MAX_BYTES) return refused('payment_too_large')
  if (!isPayment(given)) return refused('payment_malformed')
  // The buyer's signature does not cover the resource, but the facilitator lists what the payment names.
  const { resource, extensions } = given
  if (resource && resource.url !== offer.resource.url)
    return refused('payment_for_another_resource')
  const identifier = paymentIdentifierOf(extensions)
  if (identifier.kind === 'malformed') return refused('payment_identifier_malformed')
  if (identifier.kind === 'given') return { kind: 'given', payment: given, id: identifier.id }
  if (requiresPaymentIdentifier(offer.extensions)) return refused('payment_identifier_required')
  return { kind: 'given', payment: given, id: undefined }
}

const refused = (reason: Refusal) => ({ kind: 'refused', reason }) as const

/** The stock schema also takes payments of version 1, whose terms the stock server does not compare. */
const isPayment = (given: object): given is PaymentPayload => {
  const parsed = parsePaymentPayload(given)
  return parsed.success && parsed.data.x402Version === 2
}
