import type { SettleResponse } from '@x402/core/types'
import { isMetered, type SchemeName } from '../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { usdcContracts } from '../../platform/core/caip2.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { Offer } from '../offer/offer.ts'
import { USDC_DECIMALS } from '../offer/usdc.ts'
import type { SellerCall } from '../seller/seller-http.ts'
import type { PaymentTrace } from './payment-reference.ts'

/** The outcome of a signed payment. In JSON no member is ever absent. */
export interface Receipt extends PaymentTrace {
  readonly url: string
  readonly method: string
  /** HTTP status of the answer; null without one. */
  readonly status: number | null
  readonly scheme: SchemeName
  /** CAIP-2. */
  readonly network: string
  /** Token contract. */
  readonly asset: string
  /** The signed amount, in base units: the price, or the ceiling. */
  readonly signed: string
  /** The amount paid, in base units; null while it is unknown. */
  readonly amount: string | null
  /** The same in units of USDC; null for other tokens. */
  readonly usdc: string | null
  readonly payTo: string
  readonly payer: string
  /** Its hash, as the seller names it; null without one. */
  readonly transaction: string | null
  /** The outcome that the seller reports. `refused`: the seller could still settle it until it expires. */
  readonly outcome: 'settled' | 'refused' | 'unknown'
  /** When the outcome was known, or given up on: ISO 8601. */
  readonly at: string
}

interface Paid {
  readonly quote: { readonly call: SellerCall; readonly offer: Offer }
  readonly payer: string
  readonly trace: PaymentTrace
  readonly nowMs: number
}

export function receiptOf(paid: Paid, status: number, settlement: SettleResponse): Receipt {
  const amount = amountOf(paid.quote.offer, settlement)
  return {
    ...base(paid, amount),
    status,
    transaction: settlement.transaction || null,
    outcome: 'settled',
  }
}

interface Unpaid {
  readonly outcome: Receipt['outcome']
  readonly status: number | null
  readonly transaction: string | null
}

/** The receipt of a payment that was sent, and did not lead to a good answer. */
export const receiptOfFailure = (paid: Paid, unpaid: Unpaid): Receipt => ({
  ...base(paid, null),
  ...unpaid,
})

/** The amount paid. For a metered payment it is unknown when the answer does not name it. */
function amountOf({ scheme, amount }: Offer, { amount: used }: SettleResponse) {
  if (!isMetered(scheme)) return amount
  const units = /^\d{1,39}$/.test(String(used ?? '')) ? BigInt(String(used)) : null
  // Nobody can take more than the ceiling, so a higher figure is no figure.
  return units !== null && units <= amount ? units : null
}

function base({ quote: { call, offer }, payer, trace, nowMs }: Paid, amount: bigint | null) {
  const { scheme, network, asset, payTo } = offer
  const isUsdc = asset === usdcContracts[network]
  return {
    url: call.url,
    method: call.method ?? 'GET',
    scheme,
    network,
    asset,
    signed: String(offer.amount),
    amount: amount === null ? null : String(amount),
    usdc: amount === null || !isUsdc ? null : decimalAmount(amount, USDC_DECIMALS),
    payTo,
    payer,
    at: isoTime(nowMs),
    ...trace,
  }
}
