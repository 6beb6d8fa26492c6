import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'

/** How the handler of a stock server, from 2.9.0 on, tells the middleware to settle another amount than the price. */
const SETTLEMENT_OVERRIDES = 'Settlement-Overrides'

/** The response of Express, or of Node's own server. */
type PaidResponse = Pick<ServerResponse, 'setHeader'> & {
  readonly req: Pick<IncomingMessage, 'headers'>
}

/**
 * Has the stock server settle what the call used, in base units of the token: `0n` charges nothing, and more than the
 * ceiling charges the ceiling. Call it before the answer is sent; without it the stock server settles the whole ceiling.
 * Where the buyer chose another scheme, such as `exact` beside `upto`, it changes nothing.
 *
 * Throws RangeError for a negative amount, and Error for a request without a payment.
 *
 * @returns what is charged; undefined where the scheme is another
 */
export function chargeUpTo(response: PaidResponse, used: bigint): bigint | undefined {
  // The middleware has compared what the buyer accepted with the price of the route.
  const charged = chargedUpTo(paymentOf(response).accepted, used)
  if (charged === undefined) return undefined
  response.setHeader(SETTLEMENT_OVERRIDES, JSON.stringify({ amount: String(charged) }))
  return charged
}

/**
 * What a payment in the scheme `upto` is charged, of what was used and at most the ceiling, both in base units; undefined
 * in other schemes. Throws RangeError for a negative amount.
 */
export function chargedUpTo(
  { scheme, amount }: Pick<PaymentRequirements, 'scheme' | 'amount'>,
  used: bigint,
): bigint | undefined {
  if (used < 0n) throw new RangeError(`The amount that was used is negative: ${used}.`)
  if (scheme !== UPTO_SCHEME) return undefined
  const ceiling = BigInt(amount)
  return used < ceiling ? used : ceiling
}

function paymentOf({ req }: PaidResponse): PaymentPayload {
  const header = req.headers['payment-signature']
  if (typeof header === 'string') return decodePaymentSignatureHeader(header)
  throw new Error('The request carries no payment: call chargeUpTo in the handler of a paid route.')
}
