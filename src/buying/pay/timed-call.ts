import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Receipt } from '../outcome/receipt.ts'
import { type SellerProof, sellerProof } from '../proof/saved-proof.ts'
import { textOf } from '../seller/shown-answer.ts'
import { UPTO_SCHEME } from '../upto/client.ts'
import type { PaidAnswer, PayStep } from './pay.ts'
import { readServerTiming } from './read-server-timing.ts'

/** `answer` is everything after the settlement. */
export type StepName = '402' | 'sign' | 'verify' | 'settle' | 'answer'

/** One step of a paid call and its duration. */
interface CallStep {
  readonly name: StepName
  readonly ms: number
}

export interface Metered {
  /** The amount that the buyer signed. */
  readonly ceiling: bigint
  /** The amount that the seller had settled, as its facilitator says; null where it does not. */
  readonly used: bigint | null
}

/** The result of a paid call as `svc pay --json` prints it. */
export interface PaidCall {
  readonly url: string
  readonly method: string
  readonly status: number
  /** Empty for an answer that is not text. */
  readonly body: string
  /** The body of such an answer. */
  readonly bodyBase64?: string
  /** Whether the body is cut at the limit of its size. */
  readonly isCut?: true
  readonly payer: string
  readonly accepted: PaymentRequirements
  readonly settlement: SettleResponse
  /** The ceiling and the settled amount of a payment in the scheme `upto`, in base units. */
  readonly metered?: Metered
  readonly receipt: Receipt
  /** What the seller has signed: its offer, and that it was paid and delivered. */
  readonly proof: SellerProof
  /** The stages in the order in which they happen. A payment that was sent again has the last one alone. */
  readonly stages: readonly CallStep[]
}

interface CallTimer {
  readonly onStep: (step: PayStep) => void
  readonly callOf: (paid: PaidAnswer) => PaidCall
}

/** Measures each step of a payment that begins now. */
export function callTimer(clock: Pick<Clock, 'now'>): CallTimer {
  const moments = new Map<PayStep | 'called', number>([['called', clock.now()]])
  return {
    onStep: (step) => moments.set(step, clock.now()),
    callOf: (paid) => callOf(paid, moments),
  }
}

function callOf(
  { quote, answer, settlement, payer, receipt }: PaidAnswer,
  moments: ReadonlyMap<PayStep | 'called', number>,
): PaidCall {
  const { call, offer } = quote
  const { status, headers, body, cut } = answer
  const text = textOf(body, cut !== null)
  const metered = meteredOf(offer.terms, settlement)
  return {
    url: call.url,
    method: call.method ?? 'GET',
    status,
    body: text ?? '',
    ...(text === undefined && { bodyBase64: Buffer.from(body).toString('base64') }),
    ...(cut !== null && { isCut: true }),
    payer,
    accepted: offer.terms,
    settlement,
    ...(metered && { metered }),
    receipt,
    proof: sellerProof({ quote, settlement }),
    stages: stagesOf(moments, readServerTiming(headers.get('server-timing'))),
  }
}

/** The paid call that `svc pay --json` printed, where amounts are strings. */
export function readPaidCall(printed: string): PaidCall {
  const call: PaidCall = JSON.parse(printed)
  const metered = meteredOf(call.accepted, call.settlement)
  return { ...call, ...(metered && { metered }) }
}

function meteredOf(
  { scheme, amount }: PaymentRequirements,
  { amount: used }: SettleResponse,
): Metered | undefined {
  if (scheme !== UPTO_SCHEME) return undefined
  return {
    ceiling: BigInt(amount),
    used: used !== undefined && /^\d+$/.test(used) ? BigInt(used) : null,
  }
}

/**
 * Time that the seller does not report counts as part of the answer. To a payment that was sent again it may repeat the times of the first
 * answer, which this call did not take.
 */
function stagesOf(
  moments: ReadonlyMap<PayStep | 'called', number>,
  byServer: ReadonlyMap<string, number>,
): CallStep[] {
  const between = (from: PayStep | 'called', to: PayStep) =>
    (moments.get(to) ?? 0) - (moments.get(from) ?? 0)
  if (!moments.has('signed')) return [{ name: 'answer', ms: between('called', 'answered') }]
  const verify = byServer.get('verify') ?? 0
  const settle = byServer.get('settle') ?? 0
  return [
    { name: '402', ms: between('asking', 'priced') },
    { name: 'sign', ms: between('priced', 'signed') },
    { name: 'verify', ms: verify },
    { name: 'settle', ms: settle },
    { name: 'answer', ms: Math.max(0, between('signed', 'answered') - verify - settle) },
  ]
}
