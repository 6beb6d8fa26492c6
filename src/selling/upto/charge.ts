import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
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
  if (used < 0n) throw new RangeError(`The amount that was used is negative: ${used}.`)
  const { scheme, amount } = paymentOf(response).accepted
  if (scheme !== UPTO_SCHEME) return undefined
  // The middleware has compared it with the price of the route.
  const ceiling = BigInt(amount)
  const charged = used < ceiling ? used : ceiling
  response.setHeader(SETTLEMENT_OVERRIDES, JSON.stringify({ amount: String(charged) }))
  return charged
}

function paymentOf({ req }: PaidResponse): PaymentPayload {
  const header = req.headers['payment-signature']
  if (typeof header === 'string') return decodePaymentSignatureHeader(header)
  throw new Error('The request carries no payment: call chargeUpTo in the handler of a paid route.')
}
