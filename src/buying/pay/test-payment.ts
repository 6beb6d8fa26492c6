import type { PaymentRequirements } from '@x402/core/types'
import { provesUnsent } from '../../payments/protocol/unsettled.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { type Offer, readOffer } from '../offer/offer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import type { PaymentTrace } from '../outcome/payment-reference.ts'
import { signOnce } from '../sign/sign-once.ts'
import { walletOf } from '../sign/sign-payment.ts'

/* A payment straight to a facilitator, without a seller. */

interface Answer {
  readonly status: number
  readonly body: string
}

/** A request to the facilitator. Throws when there is no answer, and the reason of the signal. */
export type AskFacilitator = (path: string, signal: AbortSignal, body?: string) => Promise<Answer>

export interface TestPayment {
  readonly ask: AskFacilitator
  readonly network: NetworkId
  /** The secret seed of the buyer. */
  readonly secret: string
  /** Another account, which can receive the token: the protocol refuses a payment to oneself. */
  readonly payTo: string
  /** Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  /** Contract of the token, and the amount in its base units. */
  readonly asset: string
  readonly amount: bigint
  readonly clock: Clock
  /** Ends the work while nothing was signed; later it keeps the payment from being settled, if it was not asked for yet. */
  readonly signal: AbortSignal
  /** Ends the wait for the settlement. */
  readonly sentSignal: AbortSignal
  /** Called before the facilitator is asked to settle. */
  readonly beforeSettling: () => void
}

export interface TestPaymentResult {
  readonly payer: string
  readonly trace: PaymentTrace
  /** False when the signal came before the facilitator had said whether the payment is valid. */
  readonly isVerified: boolean
  /** The facilitator's code of an invalid payment; null for any other. */
  readonly invalidReason: string | null
  /** Absent when the payment is invalid. */
  readonly settle?: {
    /** Null while the outcome is unknown. */
    readonly paid: boolean | null
    readonly transaction: string | null
    readonly reason: string | null
  }
}

const TIMEOUT_SECONDS = 60
const ATTEMPTS = 3

/** Throws PayFailure, and the reason of the signal, only while nothing was signed. */
export async function makeTestPayment(payment: TestPayment): Promise<TestPaymentResult> {
  const { ask, signal, sentSignal, secret, network, rpcUrl, clock } = payment
  const wallet = walletOf(secret, network, rpcUrl)
  const payer = wallet.signer.address
  const offer = await offerOf(payment)
  let signed: PaymentTrace | undefined
  const beforeSigning = (_: unknown, trace: PaymentTrace) => {
    signed = trace
  }
  try {
    const accepted = offer.terms
    const required = { x402Version: 2, accepts: [accepted], resource: { url: FACILITATOR } }
    const quote = { call: { url: FACILITATOR }, required, offer }
    const made = await signOnce(quote, wallet, { clock, signal, beforeSigning })
    const { x402Version, payload } = made.payment
    const paymentPayload = { x402Version, accepted, payload }
    const body = JSON.stringify({ x402Version, paymentPayload, paymentRequirements: accepted })
    const verdict = await askedOnce(ask, '/verify', signal, body)
    const isValid = verdict['isValid'] === true
    const invalidReason = isValid ? null : sentence(verdict, 'invalidReason', 'invalidMessage')
    const result = { payer, trace: made.trace, isVerified: true, invalidReason }
    if (!isValid) return result
    signal.throwIfAborted()
    payment.beforeSettling()
    return { ...result, settle: await settle(ask, sentSignal, body) }
  } catch (error) {
    if (!signed) throw error
    // The Stellar RPC has the signature, and the facilitator may have it.
    const why = signal.aborted
      ? `${messageOf(signal.reason)} before it was asked for`
      : messageOf(error)
    const isVerified = false
    return { payer, trace: signed, isVerified, invalidReason: null, settle: unknown(why) }
  }
}

/** Stands for a seller's URL in sentences. */
const FACILITATOR = 'the facilitator'

/** The terms of a seller that uses this facilitator. Throws PayFailure. */
async function offerOf({
  ask,
  network,
  asset,
  amount,
  payTo,
  signal,
}: TestPayment): Promise<Offer> {
  const terms: PaymentRequirements = {
    ...{ scheme: 'exact', network, asset, amount: String(amount), payTo },
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: await extraOf(ask, network, signal),
  }
  const offer = readOffer(terms, network)
  if (typeof offer !== 'string') return offer
  throw new PayFailure(
    'not_payable',
    `the facilitator serves ${cutTo(200, cleanLine(cutTo(MAX_SHOWN, offer)))}`,
  )
}

/** The terms of the facilitator for payments in the scheme `exact` on the network. */
async function extraOf(
  ask: AskFacilitator,
  network: NetworkId,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { kinds } = await askedOnce(ask, '/supported', signal)
  const offers: readonly Readonly<Record<string, unknown>>[] = Array.isArray(kinds) ? kinds : []
  const exact = offers.find((kind) => kind['scheme'] === 'exact' && kind['network'] === network)
  if (exact) return Object(exact['extra'])
  throw new PayFailure('not_payable', `the facilitator does not serve exact on ${network}`)
}

type Json = Readonly<Record<string, unknown>>

/** A JSON object, whatever the status. Throws PayFailure. */
async function askedOnce(
  ask: AskFacilitator,
  path: string,
  signal: AbortSignal,
  body?: string,
): Promise<Json> {
  let answer: Answer
  try {
    answer = await ask(path, signal, body)
  } catch (cause) {
    signal.throwIfAborted()
    const says = `the facilitator does not answer ${path}: ${messageOf(cause)}`
    throw new PayFailure('unreachable', says, { hint: 'Nothing was paid.', cause })
  }
  const read = objectIn(answer.body)
  if (read && (answer.status === 200 || 'isValid' in read)) return read
  const says = `the facilitator answered ${path} with ${answer.status}`
  throw new PayFailure('refused', says, { hint: 'Nothing was paid.' })
}

/** The same bytes again are the same payment: the facilitator answers them with the outcome of the first. */
async function settle(ask: AskFacilitator, signal: AbortSignal, body: string): Promise<Settled> {
  let problem = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const answer = await ask('/settle', signal, body)
      const read = objectIn(answer.body)
      if (read && 'success' in read) return outcomeOf(read)
      problem = `the facilitator answered /settle with ${answer.status}`
    } catch (error) {
      if (signal.aborted) return unknown(`${messageOf(signal.reason)} before it was settled`)
      problem = `the facilitator does not answer /settle: ${messageOf(error)}`
    }
  }
  return unknown(problem)
}

type Settled = NonNullable<TestPaymentResult['settle']>

const unknown = (reason: string): Settled => ({ paid: null, transaction: null, reason })

function outcomeOf(answer: Json) {
  const transaction = shown(String(answer['transaction'] ?? '')) || null
  if (answer['success'] === true) return { paid: true, transaction, reason: null }
  const reason = sentence(answer, 'errorReason', 'errorMessage')
  const isUnsent = provesUnsent(String(answer['errorReason'] ?? ''))
  return { paid: isUnsent ? false : null, transaction, reason }
}

const sentence = (answer: Json, code: string, message: string): string =>
  shown([answer[code], answer[message]].filter((each) => typeof each === 'string').join(': ')) ||
  'without a reason'

/** Longer than every reason of this service. */
const MAX_SHOWN = 500

/** Whoever runs the facilitator chooses the text, and a person reads it in a terminal. */
const shown = (text: string): string => cleanLine(cutTo(MAX_SHOWN, text))

function objectIn(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}
