import type { Budget } from '../budget/budget.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import { referenceOf } from '../outcome/payment-reference.ts'
import { type Quote, type QuoteOptions, quote } from '../quote/quote.ts'
import type { SellerCall, SellerHttp } from '../seller/seller-http.ts'

interface PurchaseOptions extends QuoteOptions {
  readonly budget: Budget
}

/**
 * The price of a call that is to be paid.
 *
 * @throws PayFailure as `quote`; with `payment_open` while an earlier payment for the same call is open, of which nobody may read that nothing
 * was paid
 */
export async function quotePurchase(
  http: SellerHttp,
  call: SellerCall,
  { budget, ...options }: PurchaseOptions,
): Promise<Quote> {
  try {
    return await quote(http, call, options)
  } catch (error) {
    if (error instanceof PayFailure) throw openOf(call, error, budget, options) ?? error
    throw error
  }
}

function openOf(
  call: SellerCall,
  error: PayFailure,
  { purchases }: Budget,
  { network }: QuoteOptions,
): PayFailure | undefined {
  const open = purchases.take(call)
  if (open === undefined) return undefined
  const { answer } = error
  const says = `${error.message}, and an earlier payment for ${call.url} is open`
  if (open === 'busy') {
    const hint = 'Another process is about to get its answer. Nothing more was signed.'
    return new PayFailure('payment_open', says, { hint, answer, cause: error })
  }
  purchases.leave(open)
  const reference = referenceOf({ network, authorization: open.payment })
  const hint = `Nothing more was signed. The same call again ends it, once its seller names a price. What became of it says: svc pay status ${reference}. If you know it, svc pay resolve ends it.`
  return new PayFailure('payment_open', says, { hint, answer, cause: error })
}
