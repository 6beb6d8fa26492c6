import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import {
  newPaymentIdentifier,
  offersPaymentIdentifier,
  paymentIdentifierOf,
  withPaymentIdentifier,
} from '../../payments/protocol/payment-identifier.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Offer } from '../offer/offer.ts'
import { lookBeforePayingAgain, settlementOf } from '../outcome/paid-answer.ts'
import { PayFailure, type PayFailureCode } from '../outcome/pay-failure.ts'
import type { PaymentTrace } from '../outcome/payment-reference.ts'
import { type Receipt, receiptOf, receiptOfFailure } from '../outcome/receipt.ts'
import { failureWithoutAnswer } from '../outcome/unpaid-answer.ts'
import { quote as ask, type Quote, type QuoteOptions } from '../quote/quote.ts'
import { changedOffer, type PayLimits, refuseOffer } from '../quote/refuse-offer.ts'
import type { RequestLimits, SellerAnswer, SellerHttp } from '../seller/seller-http.ts'
import { signOnce } from '../sign/sign-once.ts'
import type { Wallet } from '../sign/sign-payment.ts'
import type { SignedAuthorization } from '../sign/signed-authorization.ts'

/**
 * `asking`: no earlier payment is open. `priced`: the offer is still the quoted one. `signed`: nothing was sent to the seller yet. `answered`:
 * it is over. A payment that is sent again has `answered` alone.
 */
export type PayStep = 'asking' | 'priced' | 'signed' | 'answered'

export interface PayOptions {
  readonly http: SellerHttp
  readonly clock: Clock
  /** Ends the work while nothing was signed; later the outcome is unknown, and PayFailure says so. */
  readonly signal?: AbortSignal | undefined
  /** Ends the wait for the answer to the payment. @default `signal` */
  readonly sentSignal?: AbortSignal | undefined
  /** Limits of the call that carries the payment. @default 120 s, which a slow settlement can take; 8 MiB */
  readonly limits?: Partial<Omit<RequestLimits, 'signal'>> | undefined
  /** Limits of the call for the quote. */
  readonly quoteLimits?: QuoteOptions['limits']
  readonly onStep?: ((step: PayStep) => void) | undefined
  /** Called at the last moment before the payment is signed; when it throws, nothing is signed, and `pay` throws the same. */
  readonly beforeSigning?: ((signed: SignedAuthorization) => void) | undefined
  /** Called at the last moment before the payment is sent to the seller, with the header that carries it; when it throws, nothing is sent. */
  readonly beforeSending?: ((header: string) => void) | undefined
}

/** A paid call, as the buyer sees it. */
export interface PaidAnswer {
  readonly quote: Quote
  readonly payer: string
  readonly answer: SellerAnswer
  readonly settlement: SettleResponse
  readonly receipt: Receipt
}

const PAID: RequestLimits = { timeLimitMs: 120_000, maxBytes: 8_388_608 }

/**
 * Pays a quote, once: asks for the price again, and signs only when the seller still offers exactly what it quoted and
 * the buyer's limits allow it; sends the payment with one call, and follows neither a redirect nor a second 402.
 *
 * @throws PayFailure unless the answer is a success that was paid for. `isSent` says whether a payment was signed: the stock client
 * hands the signature to the Stellar RPC, which counts as sent whatever became of that; then `receipt` is the receipt of it. Throws
 * the reason of the signal while nothing was signed.
 */
export async function pay(
  quoted: Quote,
  limits: PayLimits,
  wallet: Wallet,
  options: PayOptions,
): Promise<PaidAnswer> {
  const { clock, signal, onStep } = options
  const refused = refuseOffer(quoted.offer, limits)
  if (refused) throw refused
  onStep?.('asking')
  const now = identified(await askAgain(quoted, options))
  onStep?.('priced')
  const payer = wallet.signer.address
  let signed: PaymentTrace | undefined
  try {
    const { payment, trace } = await signOnce(now, wallet, {
      clock,
      signal,
      beforeSigning: (authorization, ofPayment) => {
        options.beforeSigning?.(authorization)
        signed = ofPayment
      },
    })
    onStep?.('signed')
    const header = encodePaymentSignatureHeader(payment)
    return await sendSigned({ quote: now, payer, trace, header }, options)
  } catch (error) {
    if (!signed || (error instanceof PayFailure && error.receipt)) throw error
    throw withReceipt({ quote: now, payer, trace: signed, nowMs: clock.now() }, error)
  }
}

export interface SignedCall {
  readonly quote: Quote
  readonly payer: string
  readonly trace: PaymentTrace
  /** The payment, as the call carries it. */
  readonly header: string
}

/**
 * Sends a signed payment with one call. Sent again it is the same payment: the ledger takes it once.
 *
 * @throws PayFailure with a receipt unless the answer is a success that was paid for
 */
export async function sendSigned(
  { header, ...signed }: SignedCall,
  options: Omit<PayOptions, 'beforeSigning' | 'quoteLimits'>,
): Promise<PaidAnswer> {
  const { quote, payer } = signed
  const { clock, onStep, beforeSending } = options
  const { maxTimeoutSeconds } = quote.offer
  try {
    beforeSending?.(header)
    const answer = await sendOnce(quote, header, payer, options)
    const hasId = paymentIdentifierOf(quote.required.extensions).kind === 'given'
    const by = { payer, maxTimeoutSeconds, hasId }
    const settlement = settlementOf(quote.call.url, answer, by)
    onStep?.('answered')
    const paid = { ...signed, nowMs: clock.now() }
    const receipt = receiptOf(paid, answer.status, settlement)
    return { quote, payer, answer, settlement, receipt }
  } catch (error) {
    throw withReceipt({ ...signed, nowMs: clock.now() }, error)
  }
}

/** A seller that knows identifiers of payments gets a new one: with it a lost answer can be asked for again. */
function identified({ required, ...quoted }: Quote): Quote {
  const { extensions = {} } = required
  if (!offersPaymentIdentifier(extensions)) return { ...quoted, required }
  const withId = withPaymentIdentifier(extensions, newPaymentIdentifier())
  return { ...quoted, required: { ...required, extensions: withId } }
}

/** The failure that ended a signed payment, with its receipt. */
function withReceipt(paid: Parameters<typeof receiptOfFailure>[0], error: unknown): PayFailure {
  const { call } = paid.quote
  const failure =
    error instanceof PayFailure && error.isSent
      ? error
      : new PayFailure(
          'outcome_unknown',
          `the payment to ${call.url} was signed and did not get there: ${messageOf(error)}`,
          { hint: lookBeforePayingAgain(paid.payer), cause: error },
        )
  const { code, answer, transaction } = failure
  const receipt = receiptOfFailure(paid, {
    outcome: outcomes[code] ?? 'unknown',
    status: answer?.status ?? null,
    transaction: transaction || null,
  })
  return failure.with({ receipt })
}

const outcomes: Partial<Record<PayFailureCode, Receipt['outcome']>> = {
  account_refused: 'refused',
  refused: 'refused',
  identifier_conflict: 'refused',
  paid_without_answer: 'settled',
}

/** The quote of now, which has the quoted offer. Throws PayFailure when the seller offers anything else. */
async function askAgain(
  { call, offer }: Quote,
  { http, signal, quoteLimits }: PayOptions,
): Promise<Quote> {
  const { network, asset } = offer
  const limits = { ...quoteLimits, ...(signal && { signal }) }
  const now = await ask(http, call, { network, asset, limits }).catch((error: unknown) => {
    if (error instanceof PayFailure && changes.includes(error.code)) {
      throw changedOffer(call.url, offer, undefined)
    }
    throw error
  })
  const same = now.offers.find(({ fingerprint }) => fingerprint === offer.fingerprint)
  if (!same) throw changedOffer(call.url, offer, similar(now.offers, offer))
  return { ...now, offer: same }
}

/** Codes of a quote when the seller now wants another network or token, or names no valid price. */
const changes: readonly string[] = ['not_payable', 'other_asset']

const similar = (offers: readonly Offer[], { scheme }: Offer): Offer | undefined =>
  offers.find((each) => each.scheme === scheme)

async function sendOnce(
  { call }: Quote,
  payment: string,
  payer: string,
  { http, signal, sentSignal = signal, limits }: PayOptions,
): Promise<SellerAnswer> {
  const headers = new Headers(call.headers)
  headers.set('payment-signature', payment)
  try {
    return await http.send({ ...call, headers }, { ...PAID, ...limits, signal: sentSignal })
  } catch (error) {
    if (sentSignal?.aborted && error === sentSignal.reason) {
      const says = `${messageOf(error)} before ${call.url} answered the payment`
      throw new PayFailure('outcome_unknown', says, { hint: lookBeforePayingAgain(payer) })
    }
    throw failureWithoutAnswer(call.url, error, payer)
  }
}
