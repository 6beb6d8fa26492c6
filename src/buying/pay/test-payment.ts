import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { signerFromSecret } from '../../stellar/accounts/signer.ts'
import { provesUnsent } from '../outcome/paid-answer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import { type PaymentTrace, traceOf } from '../outcome/payment-reference.ts'
import { ledgerBeforeSigning, signedAuthorization } from '../sign/signed-authorization.ts'
import { whyNotSigned } from '../sign/why-not-signed.ts'

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
  /** Of the buyer. */
  readonly secret: string
  /** Another account, which can receive the token: the protocol refuses a payment to oneself. */
  readonly payTo: string
  /** Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  /** Contract of the token, and the amount in its base units. */
  readonly asset: string
  readonly amount: bigint
  readonly clock: Clock
  /** Ends the work while no signature was sent; later it keeps the payment from being settled, if it was not asked for yet. */
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

/** Throws PayFailure, and the reason of the signal, only while no signature was sent. */
export async function makeTestPayment(payment: TestPayment): Promise<TestPaymentResult> {
  const { ask, signal, sentSignal } = payment
  const payer = signerFromSecret(payment.secret).address
  const { request, trace } = await untilAborted(signal, signed(payment, payer))
  const made = { payer, trace, isVerified: true, invalidReason: null }
  const body = JSON.stringify(request)
  try {
    const verdict = await askedOnce(ask, '/verify', signal, body)
    if (verdict['isValid'] !== true) {
      return { ...made, invalidReason: sentence(verdict, 'invalidReason', 'invalidMessage') }
    }
    signal.throwIfAborted()
  } catch (error) {
    if (!signal.aborted && !(error instanceof PayFailure)) throw error
    // The facilitator may have the signature all the same.
    const why = signal.aborted
      ? `${messageOf(signal.reason)} before it was asked for`
      : messageOf(error)
    return { ...made, isVerified: false, settle: unknown(why) }
  }
  payment.beforeSettling()
  return { ...made, settle: await settle(ask, sentSignal, body) }
}

async function signed({ ask, signal, ...payment }: TestPayment, payer: string) {
  const { network, secret, payTo, rpcUrl, asset, amount, clock } = payment
  const accepted = {
    scheme: 'exact' as const,
    network,
    asset,
    amount: String(amount),
    payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: await extraOf(ask, network, signal),
  }
  const scheme = new ExactStellarScheme(createEd25519Signer(secret, network), { url: rpcUrl })
  try {
    const afterLedger = await ledgerBeforeSigning(rpcUrl, signal)
    const { x402Version, payload } = await scheme.createPaymentPayload(2, accepted)
    const paymentPayload = { x402Version, accepted, payload }
    const authorization = signedAuthorization(paymentPayload, accepted, { payer, afterLedger })
    return {
      request: { x402Version, paymentPayload, paymentRequirements: accepted },
      trace: traceOf({
        ...{ network, authorization },
        maxTimeoutSeconds: TIMEOUT_SECONDS,
        signedAtMs: clock.now(),
      }),
    }
  } catch (error) {
    throw await whyNotSigned(error, { rpcUrl, network, payer, accepted, clock })
  }
}

/** What the facilitator asks of payments in the scheme `exact` on the network. */
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
  const transaction = String(answer['transaction'] ?? '') || null
  if (answer['success'] === true) return { paid: true, transaction, reason: null }
  const reason = sentence(answer, 'errorReason', 'errorMessage')
  const isUnsent = provesUnsent(String(answer['errorReason'] ?? ''))
  return { paid: isUnsent ? false : null, transaction, reason }
}

const sentence = (answer: Json, code: string, message: string): string =>
  [answer[code], answer[message]].filter((each) => typeof each === 'string').join(': ') ||
  'without a reason'

function objectIn(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}
