import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { NetworkId } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/error-message.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { provesUnsent } from './paid-answer.ts'
import { PayFailure } from './pay-failure.ts'
import { whyNotSigned } from './why-not-signed.ts'

/* A payment straight to a facilitator, without a seller. */

interface Answer {
  readonly status: number
  readonly body: string
}

/** A request to the facilitator. Throws when there is no answer. */
export type AskFacilitator = (path: string, body?: string) => Promise<Answer>

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
}

export interface TestPaymentResult {
  readonly payer: string
  /** The facilitator's code of an invalid payment; null for a valid one. */
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

/** Throws PayFailure when nothing was sent to be settled. */
export async function makeTestPayment(payment: TestPayment): Promise<TestPaymentResult> {
  const payer = signerFromSecret(payment.secret).address
  const body = JSON.stringify(await signed(payment, payer))
  const verdict = await askedOnce(payment.ask, '/verify', body)
  if (verdict['isValid'] !== true) {
    return { payer, invalidReason: sentence(verdict, 'invalidReason', 'invalidMessage') }
  }
  return { payer, invalidReason: null, settle: await settle(payment.ask, body) }
}

async function signed({ ask, ...payment }: TestPayment, payer: string) {
  const { network, secret, payTo, rpcUrl, asset, amount, clock } = payment
  const accepted = {
    scheme: 'exact' as const,
    network,
    asset,
    amount: String(amount),
    payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: await extraOf(ask, network),
  }
  const scheme = new ExactStellarScheme(createEd25519Signer(secret, network), { url: rpcUrl })
  try {
    const { x402Version, payload } = await scheme.createPaymentPayload(2, accepted)
    return {
      x402Version,
      paymentPayload: { x402Version, accepted, payload },
      paymentRequirements: accepted,
    }
  } catch (error) {
    throw await whyNotSigned(error, { rpcUrl, network, payer, accepted, clock })
  }
}

/** What the facilitator asks of payments in the scheme `exact` on the network. */
async function extraOf(ask: AskFacilitator, network: NetworkId): Promise<Record<string, unknown>> {
  const { kinds } = await askedOnce(ask, '/supported')
  const offers: readonly Readonly<Record<string, unknown>>[] = Array.isArray(kinds) ? kinds : []
  const exact = offers.find((kind) => kind['scheme'] === 'exact' && kind['network'] === network)
  if (exact) return Object(exact['extra'])
  throw new PayFailure('not_payable', `the facilitator does not serve exact on ${network}`)
}

type Json = Readonly<Record<string, unknown>>

/** A JSON object, whatever the status. Throws PayFailure. */
async function askedOnce(ask: AskFacilitator, path: string, body?: string): Promise<Json> {
  let answer: Answer
  try {
    answer = await ask(path, body)
  } catch (cause) {
    const says = `the facilitator does not answer ${path}: ${messageOf(cause)}`
    throw new PayFailure('unreachable', says, { hint: 'Nothing was paid.', cause })
  }
  const read = objectIn(answer.body)
  if (read && (answer.status === 200 || 'isValid' in read)) return read
  const says = `the facilitator answered ${path} with ${answer.status}`
  throw new PayFailure('refused', says, { hint: 'Nothing was paid.' })
}

/** The same bytes again are the same payment: the facilitator answers them with the outcome of the first. */
async function settle(
  ask: AskFacilitator,
  body: string,
): Promise<NonNullable<TestPaymentResult['settle']>> {
  let problem = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const answer = await ask('/settle', body)
      const read = objectIn(answer.body)
      if (read && 'success' in read) return outcomeOf(read)
      problem = `the facilitator answered /settle with ${answer.status}`
    } catch (error) {
      problem = `the facilitator does not answer /settle: ${messageOf(error)}`
    }
  }
  return { paid: null, transaction: null, reason: problem }
}

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
