import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { FaultCode } from '../../../platform/core/errors/faults.ts'
import type { TokenBalance } from '../../../stellar/contracts/token-balance.ts'
import type { Quote } from '../../checks/check-simulation.ts'
import type { ReasonCode } from '../../protocol/reasons.ts'
import type { OutcomeCodes } from '../../schemes/scheme.ts'
import type { HourCountKind } from '../../store/hour-counts.ts'
import type { MissedPlace } from './turns/fair-places.ts'

/** A payer's unfinished payments of an asset, this one included, are more than it holds. */
export interface Shortage {
  readonly kind: 'over_funds'
  readonly payer: string
  /** Base units of this payment. */
  readonly amount: bigint
  /** The symbol of the asset. */
  readonly symbol: string
  readonly balance: TokenBalance
}

interface PayerFacts {
  readonly payer: string
  /** 0 for a payer that is not paused; absent while it is not known. */
  readonly pausedForMs?: number
}

/**
 * The moments at which limits are asked, and what is known then. A moment that asks more than once asks with more
 * facts each time; a limit whose facts are absent is not reached.
 */
export interface Moments {
  /** `/verify`, after the simulation: reads only, and counts nothing. */
  readonly verify: PayerFacts & { readonly refusal?: Shortage | undefined }
  /** `/settle`, before the simulation, and again with a quote. */
  readonly request: PayerFacts & { readonly isAdmitted: boolean }
  /** `/verify` and `/settle`, when there was no place for the simulation. */
  readonly simulation: { readonly missed: MissedPlace }
  /** With a quote: before the claim's statement, and with the reason for which the statement refused. */
  readonly claim: {
    /** Undefined while the sponsor's balance is unknown. */
    readonly spendable: Stroops | undefined
    readonly reserve: Stroops
    /** The most that the payment can cost. */
    readonly fee: Stroops
    readonly refusal?: { readonly kind: 'over_budget' | 'over_key_share' } | Shortage | undefined
  }
  /** With a claim: before the wait for a channel, after it, and before the envelope is signed. */
  readonly lease: PayerFacts & {
    /** `none free`: the claim's statement leased none; `late`: none became free within the wait. */
    readonly channel: 'leased' | 'none free' | 'late' | { readonly missing: string }
    /** Absent unless the payment has waited for its channel. */
    readonly waited?: { readonly latestLedger: number; readonly expirationLedger: number }
  }
  /** Every endpoint refused the envelope, because the network asks for a higher fee. */
  readonly send: {
    /** Undefined when the settings allow no higher bid that the network would accept. */
    readonly higherBid: Quote | undefined
  }
}

export type Moment = keyof Moments

type Counter =
  | { readonly name: 'payerRefusals'; readonly labels: { readonly rule: string } }
  | { readonly name: 'notAdmitted'; readonly labels: object }
  | { readonly name: 'simulationRefusals'; readonly labels: { readonly rule: string } }

interface Rule<M extends Moment> {
  readonly name: string
  readonly when: readonly M[]
  /** The condition that reaches the limit, for the administrator; `docs/abuse.md` lists it. */
  readonly sentence: string
  /** Whether the facts reach it. A text is the answer's message, in place of the code's own. */
  decide(facts: Moments[M]): string | boolean
}

/** The payment is answered with a refusal. */
interface RefusingLimit<M extends Moment = Moment> extends Rule<M> {
  readonly effect: 'refuse'
  /** A member of `OutcomeCodes` stands for the scheme's own code. */
  readonly code: ReasonCode | keyof OutcomeCodes
  /** Counts this limit alone, beside the counters of all answers by code. */
  readonly metric?: Counter
  /** The kind under which `/health` counts it. */
  readonly healthCount?: HourCountKind
  /** The answer names the seconds after which the same request may succeed. */
  readonly hasRetryAfter?: true
  /** Only this caller's requests reach it: it is no fault of the service. */
  readonly isCallersFault?: true
}

/** The payment goes on later, or with a higher bid. */
interface DelayingLimit<M extends Moment = Moment> extends Rule<M> {
  readonly effect: 'wait' | 'bid again'
}

/** The request ends without a verdict: nothing is known of the payment. */
export interface ErrorLimit<M extends Moment = Moment> extends Rule<M> {
  readonly effect: 'error'
  readonly fault: FaultCode
  readonly metric: Counter & { readonly name: 'simulationRefusals' }
  /** One sentence for the caller, without a full stop. */
  readonly message: string
}

export type Limit<M extends Moment = Moment> = RefusingLimit<M> | DelayingLimit<M> | ErrorLimit<M>

/** Lets the compiler give `decide` the facts of the moments in `when`. */
export const limit = <M extends Moment>(rule: Limit<M>): Limit<M> => rule

export interface Refusal {
  readonly limit: RefusingLimit
  /** The code's own sentence when absent. */
  readonly message: string | undefined
}

export type Reached = Refusal | { readonly limit: DelayingLimit | ErrorLimit }
