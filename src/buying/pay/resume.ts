/** Ends an earlier purchase of the same call that is open: the buyer paid for it, or may have, and does not have the answer. */
import { decodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
import {
  offersPaymentIdentifier,
  paymentIdentifierOf,
} from '../../payments/protocol/payment-identifier.ts'
import { maySettleLater } from '../../payments/protocol/unsettled.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../stellar/rpc/rpc-client.ts'
import type { OpenPurchase } from '../budget/purchases.ts'
import { readOffer } from '../offer/offer.ts'
import { formatPrice } from '../offer/usdc.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import { referenceOf, traceOf } from '../outcome/payment-reference.ts'
import type { Quote } from '../quote/quote.ts'
import { type PayLimits, refuseOffer } from '../quote/refuse-offer.ts'
import { type AuthorizationOutcome, authorizationOutcome } from '../sign/signed-authorization.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { type PaidAnswer, type PayOptions, type SignedCall, sendSigned } from './pay.ts'

export interface ResumeOptions
  extends Omit<PayOptions, 'beforeSigning' | 'quoteLimits'>,
    DeliverOptions {
  /** Stellar RPC of the network. */
  readonly rpcUrl: string
  /**
   * The longest wait in milliseconds until an open payment has expired, where only the ledger can end it; 0 for none.
   * @default twice the time until its last ledger closes, and a minute: a network or its RPC can be slow
   */
  readonly maxWaitMs?: number | undefined
}

/** Whether a payment carries an identifier, so that its seller can be asked for the answer again. */
export const hasIdentifier = (header: string | undefined): boolean =>
  paymentIdentifierOf(readPayment(header)?.extensions).kind === 'given'

/**
 * The answer to an earlier payment for the same call, where the seller gives it to the same payment again. Undefined when no purchase is
 * open, or the open one is over: its payment expired, and the ledger shows that it was not used. Then another may be signed.
 *
 * @throws PayFailure when the outcome stays open, or the ledger shows that it was paid and the seller has no answer to it
 */
export async function resume(
  quoted: Quote,
  limits: PayLimits,
  options: ResumeOptions,
): Promise<PaidAnswer | undefined> {
  const { budget } = options
  const open = budget.purchases.take(quoted.call)
  if (open === undefined) return undefined
  if (open === 'busy') {
    const says = `another process is about to get the answer to an earlier payment for ${quoted.call.url}`
    throw new PayFailure('payment_open', says, { hint: 'Nothing was signed. Try again later.' })
  }
  const { signal } = options
  try {
    return await new Resumption(quoted, limits, open, options).end()
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error
    const says = `${messageOf(error)} while an earlier payment for ${quoted.call.url} was open`
    throw new PayFailure('payment_open', says, { hint: 'Nothing more was signed.', cause: error })
  } finally {
    // No effect on one that is over.
    budget.purchases.leave(open)
  }
}

/** `paid`: the budget file has it, as the ledger showed it before. */
type Outcome =
  | AuthorizationOutcome
  | { readonly state: 'paid'; readonly transaction: string | undefined }
type Made = Extract<Outcome, { state: 'moved' | 'paid' }>

const isMade = (outcome: Outcome | undefined): outcome is Made =>
  outcome?.state === 'moved' || outcome?.state === 'paid'

class Resumption {
  readonly #quoted: Quote
  readonly #limits: PayLimits
  readonly #open: OpenPurchase
  readonly #options: ResumeOptions
  /** The payment as it can be sent again; undefined when it was not kept. */
  readonly #signed: SignedCall | undefined

  constructor(quoted: Quote, limits: PayLimits, open: OpenPurchase, options: ResumeOptions) {
    this.#quoted = quoted
    this.#limits = limits
    this.#open = open
    this.#options = options
    this.#signed = signedCall(quoted, open)
  }

  async end(): Promise<PaidAnswer | undefined> {
    const { extensions } = this.#quoted.required
    const outcome = await this.#ask()
    if (outcome?.state === 'unused') return this.#expired()
    if (this.#signed && offersPaymentIdentifier(extensions) && hasIdentifier(this.#signed.header)) {
      return this.#sendAgain(this.#signed, outcome)
    }
    return this.#endByLedger(outcome?.state === 'open' ? await this.#waitForEnd() : outcome)
  }

  /** Undefined when the RPC does not say. */
  async #ask(): Promise<Outcome | undefined> {
    const { rpcUrl, signal } = this.#options
    const { state, transaction } = this.#open
    // The ledger has shown it, and the RPC may have forgotten it since.
    if (state === 'paid') return { state, transaction }
    try {
      return await authorizationOutcome(rpcUrl, this.#open.payment, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof RpcError) return undefined
      throw error
    }
  }

  async #sendAgain(
    signed: SignedCall,
    outcome: Outcome | undefined,
  ): Promise<PaidAnswer | undefined> {
    const { budget, say } = this.#options
    const { offer, call } = signed.quote
    const refused = refuseOffer(offer, this.#limits)
    if (refused) throw this.#stays(`${refused.message}, in the earlier payment for ${call.url}`)
    const price = formatPrice(offer.network, offer.asset, offer.amount)
    say(
      `an earlier payment of ${price} for ${call.url}, of ${isoTime(this.#open.at)}, has no answer yet: it is sent again, and not paid again`,
    )
    let paid: PaidAnswer
    try {
      paid = await sendSigned(signed, this.#options)
    } catch (error) {
      if (!(error instanceof PayFailure) || !error.receipt) throw error
      budget.answered(this.#open, error.receipt, false)
      if (isMade(outcome) && this.#mayAnswerLater(error)) throw this.#isPaidAndBusy(error)
      // The seller has no other answer to a payment that has expired, or that the ledger shows.
      if (isMade(outcome) && error.answer) throw this.#wasPaid(outcome, error)
      if (outcome?.state === 'unexplained' && error.answer) return this.#endByLedger(outcome)
      throw error
    }
    return deliver(this.#open, paid, this.#options)
  }

  /** Asks the ledger until it has passed the last one in which the payment is valid. Throws PayFailure when that takes too long. */
  async #waitForEnd(): Promise<Outcome | undefined> {
    const { rpcUrl, clock, signal, maxWaitMs, say } = this.#options
    const since = clock.now()
    let limitMs = maxWaitMs
    const { lastLedger } = this.#open.payment
    const rpc = rpcClient({ url: rpcUrl })
    for (let isFirst = true; ; isFirst = false) {
      const tip = await rpc.latestLedger(signal).catch(() => undefined)
      signal?.throwIfAborted()
      const left = tip && lastLedger + 1 - tip.sequence
      if (left === undefined || left <= 0) {
        const outcome = await this.#ask()
        // The replicas of an RPC differ by a ledger or two.
        if (outcome?.state !== 'open') return outcome
      }
      const more = Math.max(left ?? 1, 1)
      const seconds = more * SECONDS_PER_LEDGER
      limitMs ??= 2_000 * seconds + PATIENCE_MS
      const waitedMs = clock.now() - since
      const leftMs = limitMs - waitedMs
      if (limitMs === 0 || more > MAX_LEDGERS) throw this.#stays(this.#isOpen(), seconds)
      if (leftMs <= 0) {
        const waited = Math.round(waitedMs / 1_000)
        throw this.#stays(
          `${this.#isOpen()}: its outcome is still unknown after a wait of ${waited} s`,
          seconds,
        )
      }
      if (isFirst) {
        say(
          `${this.#isOpen()}: waiting for that ledger, about ${seconds} s, before anything is signed`,
        )
      }
      await clock.sleep(Math.min(more * 1_000, MAX_PAUSE_MS, leftMs), signal)
    }
  }

  #endByLedger(outcome: Outcome | undefined): undefined {
    if (isMade(outcome)) throw this.#wasPaid(outcome)
    switch (outcome?.state) {
      case 'unused':
        return this.#expired()
      case 'unexplained':
        this.#options.budget.resolve(this.#open.id, outcome)
        throw this.#stays(
          `the earlier payment for ${this.#url} expired, and the Stellar RPC cannot show that it was not used`,
        )
      default:
        throw this.#stays(
          `the Stellar RPC does not say what became of the earlier payment for ${this.#url}`,
        )
    }
  }

  #expired(): undefined {
    const { budget, say } = this.#options
    say(`an earlier payment for ${this.#url} expired, and the ledger shows that it was not used`)
    budget.purchases.end(this.#open.id)
    budget.resolve(this.#open.id, { state: 'unused' })
  }

  /**
   * Whether the seller may have another answer to the same payment later: it is overloaded, still serves it, or does not know yet whether
   * it was settled. A seller that has said so for a day has none: `stellar-x402/delivery` and `stellar-x402/mcp/server` keep answers as long.
   */
  #mayAnswerLater({ code, answer, reason = '' }: PayFailure): boolean {
    if (!answer || code === 'paid_without_answer') return false
    if (this.#options.clock.now() - this.#open.at > DAY_MS) return false
    const { status } = answer
    if (status === 408 || status === 429 || status >= 500) return true
    return deliveredLater.includes(reason) || maySettleLater(reason)
  }

  #isPaidAndBusy({ answer }: PayFailure): PayFailure {
    return this.#stays(
      `an earlier payment for ${this.#url} was made, and its seller cannot give the answer now (status ${answer?.status})`,
    )
  }

  #wasPaid(outcome: Made, said?: PayFailure): PayFailure {
    const { budget, isWanted = () => true } = this.#options
    const { transaction } = outcome
    // A caller who has left does not learn it: the next one does.
    if (isWanted()) budget.purchases.end(this.#open.id)
    if (outcome.state === 'moved') budget.resolve(this.#open.id, outcome)
    const where = transaction === undefined ? '' : `Its transaction is ${transaction}. `
    return new PayFailure(
      'paid_without_answer',
      `an earlier payment for ${this.#url} was made, and its answer is lost`,
      {
        hint: `${where}Nothing more was signed. Called once more, it is paid again.`,
        transaction,
        answer: said?.answer,
        receipt: said?.receipt,
      },
    )
  }

  get #url(): string {
    return this.#quoted.call.url
  }

  #isOpen(): string {
    const { lastLedger } = this.#open.payment
    return `an earlier payment for ${this.#url} has no answer, and its seller can settle it until ledger ${lastLedger}`
  }

  /** Nothing is signed while it is open. */
  #stays(says: string, seconds?: number): PayFailure {
    const { network } = this.#quoted.offer
    const reference = referenceOf({ network, authorization: this.#open.payment })
    const when = seconds === undefined ? '' : ` Try again in ${seconds} s.`
    return new PayFailure('payment_open', says, {
      hint: `Nothing more was signed.${when} What became of it says: svc pay status ${reference}. If you know it, svc pay resolve ends it.`,
    })
  }
}

/** Above those of the networks, and of the embedded one. */
const SECONDS_PER_LEDGER = 5
const MAX_PAUSE_MS = 15_000
const PATIENCE_MS = 60_000
const DAY_MS = 24 * 3_600_000
/** Why a tool of `stellar-x402/mcp/server` does not answer now. */
const deliveredLater = ['payment_in_progress', 'delivery_store_unavailable']
/** No signature of this buyer is valid for longer: an RPC that is further behind is of another network, or was reset. */
const MAX_LEDGERS = 400

/** The payment as it was sent, with the seller's offer that it pays. */
function signedCall(quoted: Quote, { header, payment, at }: OpenPurchase): SignedCall | undefined {
  const read = readPayment(header)
  if (header === undefined || !read) return undefined
  const { network } = quoted.offer
  const offer = readOffer(read.accepted, network)
  if (typeof offer === 'string') return undefined
  const { maxTimeoutSeconds } = offer
  const required = { ...quoted.required, extensions: Object(read.extensions) }
  return {
    quote: { ...quoted, offer, offers: [offer], required },
    payer: payment.payer,
    trace: traceOf({ network, authorization: payment, maxTimeoutSeconds, signedAtMs: at }),
    header,
  }
}

function readPayment(header: string | undefined): PaymentPayload | undefined {
  try {
    return header === undefined ? undefined : decodePaymentSignatureHeader(header)
  } catch {
    return undefined
  }
}
