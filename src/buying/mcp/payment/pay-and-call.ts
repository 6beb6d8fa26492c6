import { z } from 'zod'
import { isMetered } from '../../../payments/protocol/schemes.ts'
import { decimalAmount, unitsOfDecimal } from '../../../platform/core/amounts/decimal.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { type Budget, BudgetExceeded, type Reservation } from '../../budget/budget.ts'
import type { OpenPayments } from '../../budget/open-payments.ts'
import { USDC_DECIMALS } from '../../offer/usdc.ts'
import { buy } from '../../pay/buy.ts'
import type { PaidAnswer } from '../../pay/pay.ts'
import { quotePurchase } from '../../pay/quote-purchase.ts'
import { type SavedProof, savedProof } from '../../proof/saved-proof.ts'
import type { Quote } from '../../quote/quote.ts'
import { refuseOffer } from '../../quote/refuse-offer.ts'
import type { SellerCall, SellerHttp } from '../../seller/seller-http.ts'
import { shownAnswer } from '../../seller/shown-answer.ts'
import type { Wallet } from '../../sign/sign-payment.ts'
import { fenced, LONG } from '../answers/seller-text.ts'
import { sellerTextSchema } from '../answers/shown-resource.ts'
import { ToolFailure } from '../answers/tool-failure.ts'
import { decimalArgument, methodSchema } from '../answers/wire.ts'
import { type Tool, type ToolUse, tool } from '../tools/tool.ts'
import { toolInput } from '../tools/tool-input.ts'
import { failureOfPayment } from './failure-of-payment.ts'
import { budgetSchema, shownBudget } from './shown-budget.ts'
import { shownReceipt, shownReceiptSchema } from './shown-receipt.ts'

export interface PayOptions {
  readonly http: SellerHttp
  readonly wallet: Wallet
  readonly network: NetworkId
  readonly budget: Budget
  readonly open: OpenPayments
  readonly clock: Clock
}

const MAX_BODY = 65_536

export const maxArgument = decimalArgument(z.string().regex(/^\d{1,9}(\.\d{1,7})?$/)).describe(
  'Most that this call may cost, in USDC, such as 0.05. A higher price is refused, nothing is paid.',
)

export const headersArgument = z.record(z.string().max(100), z.string().max(4_096)).optional()

const input = toolInput({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .describe('To call, with its query. Of a listing: url in its sellerText.'),
  max: maxArgument,
  method: methodSchema.default('GET'),
  headers: headersArgument,
  body: z.string().max(MAX_BODY).optional(),
})

export const paidOutput = z.object({
  status: z.int().describe('HTTP status of the answer; 200 for the result of a tool.'),
  receipt: shownReceiptSchema,
  budget: budgetSchema,
  sellerText: sellerTextSchema,
})

const steps = {
  asking: 'asking for the price again',
  priced: 'the price is still the same; signing',
  signed: 'signed; sending the payment',
  answered: 'paid',
} as const

/**
 * Pays for one call within the limits of the call and of the budget. What may be spent is set aside on disk before
 * anything is signed, and given back only when nothing was signed, or when the ledger shows that nothing was taken.
 * A caller who cancels ends the call only while nothing was signed: later the answer is still waited for, and recorded.
 */
export const payAndCall = (options: PayOptions): Tool =>
  tool({
    name: 'pay_and_call',
    title: 'Pay for a call',
    description: `Calls a URL that answers with a price in USDC, pays it on ${options.network}, and returns the answer; a listing of type mcp is paid with call_paid_tool instead. Costs the user real money up to max: the price is asked for first, and refused above max or above the budget of 24 hours. Follows no redirect. After an error read whether something was paid. The same call again gets the answer to a payment whose outcome is unknown, and pays only when that has expired unused; list_payments shows what became of it.`,
    input,
    output: paidOutput,
    movesMoney: true,
    call: (asked, use) =>
      options.open.run((ending) => {
        const signal = AbortSignal.any([use.signal, ending])
        const { max, ...request } = asked
        return payOnce(callOf(request), max, {
          ...{ ...options, ...use, signal, ending },
          cancelled: use.signal,
        })
      }),
  })

interface Payment extends PayOptions, ToolUse {
  /** Aborts when the caller leaves. */
  readonly cancelled: AbortSignal
  /** Aborts when the process ends. */
  readonly ending: AbortSignal
}

/** @param max the most that the call may cost, in USDC. Throws ExplainedFailure */
export async function payOnce(call: SellerCall, max: string, payment: Payment) {
  const { http, network, budget, signal, fenceId, report } = payment
  const maxAmount = unitsOfDecimal(max, USDC_DECIMALS) ?? 0n
  report('asking for the price')
  const asked = { network, budget, limits: { signal } }
  const quoted = await quotePurchase(http, call, asked).catch(explain)
  const paidAnswer = await payQuote(quoted, maxAmount, payment).catch(explain)
  const { answer, receipt } = paidAnswer
  const shown = shownReceipt(receipt)
  const result = {
    status: answer.status,
    receipt: shown,
    budget: shownBudget(budget.state()),
    // The proof first: a long answer is cut, and a cut signature is none.
    sellerText: fenced(
      { ...signedBySeller(paidAnswer), answer: shownAnswer(answer) },
      LONG,
      fenceId,
    ),
  }
  const paid = shown.amountDecimal ?? `at most ${shown.signedDecimal}`
  const line = `Paid ${paid} USDC, transaction ${shown.transaction}; ${result.budget.left} USDC left.`
  return { result, text: `${line}\n${result.sellerText}` }
}

/** In a file for `svc receipt verify`; nothing when the seller signed nothing. */
function signedBySeller(paid: PaidAnswer): { readonly proof?: SavedProof } {
  const proof = savedProof(paid)
  return proof.offer || proof.receipt ? { proof } : {}
}

async function payQuote(quoted: Quote, maxAmount: bigint, payment: Payment) {
  const { http, wallet, clock, budget, open, signal, cancelled, ending, report } = payment
  const over = new AbortController()
  try {
    return await buy(quoted, { maxAmount }, wallet, {
      ...{ http, clock, signal, budget },
      sentSignal: ending,
      // A tool that hangs for minutes helps nobody.
      maxWaitMs: 0,
      say: report,
      onStep: (step) => report(steps[step]),
      reserve: async () => {
        const { amount } = quoted.offer
        const refused = refuseOffer(quoted.offer, { maxAmount })
        if (refused) throw refused
        const reserved = await reserve(payment, amount, quoted.call)
        report(`the price is at most ${decimalAmount(amount, USDC_DECIMALS)} USDC`)
        return reserved
      },
      // The seller's word is not enough: it could have taken up to the ceiling.
      onPaid: async ({ receipt }) => {
        if (isMetered(receipt.scheme)) await open.resolve()
      },
      isWanted: () => !cancelled.aborted,
      // Its caller has left: a next call for the same gets the answer to this payment.
      onSigned: (leave) =>
        cancelled.addEventListener('abort', leave, { once: true, signal: over.signal }),
    })
  } finally {
    over.abort()
  }
}

/** Throws `BudgetExceeded`: not even with what the ledger shows as unused. */
async function reserve(
  { budget, open }: Pick<PayOptions, 'budget' | 'open'>,
  units: bigint,
  call: SellerCall,
): Promise<Reservation> {
  try {
    return budget.reserve(units, call)
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error
    await open.resolve()
    return budget.reserve(units, call)
  }
}

function explain(error: unknown): never {
  throw failureOfPayment(error)
}

interface Asked {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
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
  const headers = headersOf(given)
  if (body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json')
  }
  return { url, method, headers, ...(body !== undefined && { body }) }
}

/** Throws `ToolFailure` for a header that the caller may not set. */
export function headersOf(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (OWN_HEADERS.test(name)) throw invalid('headers must not hold one that the call sets itself')
    try {
      headers.set(name, value)
    } catch {
      throw invalid('headers holds a malformed name or value')
    }
  }
  return headers
}

export const invalid = (reason: string): ToolFailure => new ToolFailure('invalid_argument', reason)
