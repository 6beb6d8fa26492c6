import { z } from 'zod'
import { pay } from '../../buyer/pay.ts'
import { quote } from '../../buyer/quote.ts'
import { refuseOffer } from '../../buyer/refuse-offer.ts'
import type { SellerCall, SellerHttp } from '../../buyer/seller-http.ts'
import { shownAnswer } from '../../buyer/shown-answer.ts'
import type { Wallet } from '../../buyer/sign-payment.ts'
import { USDC_DECIMALS } from '../../buyer/usdc.ts'
import type { NetworkId } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import { decimalAmount, unitsOfDecimal } from '../../core/decimal.ts'
import { fenced, LONG } from '../seller-text.ts'
import { sellerTextSchema } from '../shown-resource.ts'
import { type Tool, tool } from '../tool.ts'
import { ToolFailure } from '../tool-failure.ts'
import { methodSchema } from '../wire.ts'
import type { Budget, Reservation } from './budget.ts'
import { failureOfPayment, isCertainlyUnsent } from './failure-of-payment.ts'
import { shownReceipt, shownReceiptSchema } from './shown-receipt.ts'

export interface PayOptions {
  readonly http: SellerHttp
  readonly wallet: Wallet
  readonly network: NetworkId
  readonly budget: Budget
  readonly clock: Clock
}

const MAX_BODY = 65_536

const input = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .describe('To call, with its query. Of a listing: url in its sellerText.'),
  max: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,7})?$/)
    .describe(
      'Most that this call may cost, in USDC, such as 0.05. A higher price is refused, nothing is paid.',
    ),
  method: methodSchema.default('GET'),
  headers: z.record(z.string().max(100), z.string().max(4_096)).optional(),
  body: z.string().max(MAX_BODY).optional(),
})

const output = z.object({
  status: z.int().describe('HTTP status of the answer.'),
  receipt: shownReceiptSchema,
  budget: z.object({ spent: z.string(), left: z.string() }).describe('USDC, of any 24 hours.'),
  sellerText: sellerTextSchema,
})

const steps = {
  priced: 'the price is still the same; signing',
  signed: 'signed; sending the payment',
  answered: 'paid',
} as const

/**
 * Pays for one call within the limits of the call and of the budget. What may be spent is set aside on disk before
 * anything is signed, and given back only when certainly no signed payment was sent.
 */
export const payAndCall = ({ http, wallet, network, budget, clock }: PayOptions): Tool =>
  tool({
    name: 'pay_and_call',
    title: 'Pay for a call',
    description: `Calls a URL that answers with a price in USDC, pays it on ${network}, and returns the answer. Costs the user real money up to max: the price is asked for first, and refused above max or above the budget of 24 hours. Follows no redirect. After an error read whether something was paid; never repeat a call whose outcome is unknown.`,
    input,
    output,
    movesMoney: true,
    call: async ({ url, max, method, headers, body }, { signal, fenceId, report }) => {
      const maxAmount = unitsOfDecimal(max, USDC_DECIMALS) ?? 0n
      const call = callOf({ url, method, headers, body })
      report('asking for the price')
      const quoted = await quote(http, call, { network, limits: { signal } }).catch(explain)
      const { amount } = quoted.offer
      const refused = refuseOffer(quoted.offer, { maxAmount })
      if (refused) throw failureOfPayment(refused)
      const reserved = reserve(budget, amount, url)
      report(`the price is at most ${decimalAmount(amount, USDC_DECIMALS)} USDC; asking again`)
      const onStep = (step: keyof typeof steps) => report(steps[step])
      try {
        const options = { http, clock, signal, onStep }
        const { answer, receipt } = await pay(quoted, { maxAmount }, wallet, options)
        reserved.spent(BigInt(receipt.amount ?? amount), receipt.transaction)
        const { spent, left } = budget.state()
        const shown = shownReceipt(receipt)
        const result = {
          status: answer.status,
          receipt: shown,
          budget: { spent: usdc(spent), left: usdc(left) },
          sellerText: fenced({ answer: shownAnswer(answer) }, LONG, fenceId),
        }
        const paid = shown.amountDecimal ?? `at most ${shown.signedDecimal}`
        const line = `Paid ${paid} USDC, transaction ${shown.transaction}; ${usdc(left)} USDC left.`
        return { result, text: `${line}\n${result.sellerText}` }
      } catch (error) {
        if (isCertainlyUnsent(error, signal)) reserved.release()
        return explain(error)
      }
    },
  })

/** Throws `ExplainedFailure` when the budget does not allow it. */
function reserve(budget: Budget, units: bigint, url: string): Reservation {
  try {
    return budget.reserve(units, { url: new URL(url).origin })
  } catch (error) {
    return explain(error)
  }
}

const usdc = (units: bigint): string => decimalAmount(units, USDC_DECIMALS)

function explain(error: unknown): never {
  throw failureOfPayment(error)
}

interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
}

/** The HTTP library sets the first ones, the payment the last. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|accept-encoding|payment-.*|x-payment.*)$/i

/** Throws `ToolFailure` for what no call can have. */
function callOf({ url, method, headers: given = {}, body }: Asked): SellerCall {
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw invalid('url must hold no user name or password')
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw invalid(`${method} takes no body`)
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (OWN_HEADERS.test(name)) throw invalid('headers must not hold one that the call sets itself')
    try {
      headers.set(name, value)
    } catch {
      throw invalid('headers holds a malformed name or value')
    }
  }
  if (body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json')
  }
  return { url, method, headers, ...(body !== undefined && { body }) }
}

const invalid = (reason: string): ToolFailure => new ToolFailure('invalid_argument', reason)
