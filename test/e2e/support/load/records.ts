/** What the process of the buyers and the seller reports of each payment. */
import { reasons } from '../../../../src/payments/protocol/reasons.ts'

/** One request of the seller to the facilitator. */
export interface FacilitatorRequest {
  readonly path: '/verify' | '/settle'
  /** Milliseconds since 1970. */
  readonly begunAt: number
  /** Until the whole answer was there, or the connection had failed. */
  readonly ms: number
  /** Undefined when the connection failed. */
  readonly status?: number
  /** What the answer says: valid, or settled. */
  readonly isSuccess: boolean
  /** Why it is no success: the reason of the answer, or the error of the connection. */
  readonly reason?: string
  /** Of a settlement: the hash, empty without one. */
  readonly transaction?: string
}

export interface PaymentRecord {
  readonly payer: string
  /** Base units of USDC; no other payment of the run has it. */
  readonly amount: string
  /** Milliseconds since 1970. */
  readonly begunAt: number
  /** False when the buyer could not sign, so that the facilitator never saw the payment. */
  readonly isSigned: boolean
  readonly requests: readonly FacilitatorRequest[]
  /** The status of each answer of the seller to the paid request, or the error in place of one. */
  readonly seen: readonly string[]
  /** Whether the last answer of the facilitator can no longer change. */
  readonly isFinal: boolean
}

/** Of the process that plays buyers and seller. */
export interface MarketSettings {
  readonly facilitatorUrl: string
  readonly apiKey?: string
  /** Serves http. */
  readonly rpcUrl: string
  /** The folder whose node_modules has the stock packages. */
  readonly packages: string
  /** Secret keys. */
  readonly payers: readonly string[]
  readonly payTo: string
  readonly perSecond: number
  /** How long before its turn each payment is signed, in milliseconds. */
  readonly signedAheadMs: number
  /** Of the price. */
  readonly maxTimeoutSeconds: number
}

export type ToMarket = 'start' | 'stop' | { readonly apiKey: string }
export type FromMarket = 'ready' | 'ended' | { readonly paid: PaymentRecord }

/** Whether the facilitator refused, for a reason that no repeat of the request changes. */
export function isRefused(request: FacilitatorRequest | undefined): boolean {
  if (request?.status !== 200 || request.isSuccess) return false
  const known = Object.entries(reasons).find(([code]) => code === request.reason)
  return known !== undefined && !known[1].retryable
}
