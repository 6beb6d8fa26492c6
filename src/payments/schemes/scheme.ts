/** The facts that the engine knows of a payment and of its scheme. Everything else about a scheme is inside its value. */
import type { AddressEntry } from '../../stellar/authorization/auth-entry.ts'
import type { SimulationSuccess } from '../../stellar/rpc/rpc.ts'
import type { HostInvocation } from '../../stellar/transactions/client-envelope.ts'
import type { TransactionResources } from '../../stellar/transactions/transaction-resources.ts'
import type { HostEvent } from '../../stellar/values/sc-value.ts'
import type { Cause } from '../causes/cause.ts'
import type { Check } from '../checks/check.ts'
import type { ExpiryFacts } from '../checks/expiry.ts'
import type { AcceptedAsset, PaymentPolicy } from '../protocol/policy.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import type { ReasonCode } from '../protocol/reasons.ts'
import type { Refusal } from '../protocol/refusal.ts'
import type { SchemeName } from '../protocol/schemes.ts'

/**
 * The endpoint that the request calls. In a scheme with a variable amount the requirements mean the ceiling at `verify`, and the actual
 * amount at `settle`.
 */
export type Phase = 'verify' | 'settle'

/** The call of a payment, as a simulation runs it. */
export interface PaymentCall {
  readonly scheme: PaymentScheme
  readonly phase: Phase
  /** `G...` or `C...`. */
  readonly payer: string
  /** The payee of the requirements: `G...`, `C...` or `M...`. */
  readonly payTo: string
  readonly asset: AcceptedAsset
  /** Base units that the invocation moves: at `verify` the most that the payer signed, at `settle` what is settled. */
  readonly amount: bigint
  /** The call and every authorization entry, as they will be sent. */
  readonly invocation: HostInvocation
  /** Present where the scheme settles by an authority of ours; without it the payer signed every byte of the invocation. */
  readonly authority?: Pick<AuthorityCall, 'address'>
}

/** A payment that passed every check which needs no ledger, in whatever scheme. */
export interface Payment extends PaymentCall {
  readonly request: PaymentRequest
  readonly maxTimeoutSeconds: number
  /** With the payer's address it names the payment, which is settled at most once. */
  readonly nonce: string
  /** The one authorization entry of the payer. */
  readonly authorization: AddressEntry
  readonly authority?: AuthorityCall
}

/** The parties and the amount of a payment that is only tried. */
export interface TrialTerms extends Pick<PaymentCall, 'payer' | 'payTo' | 'asset' | 'amount'> {
  /** The last ledger in which it would be valid. */
  readonly expirationLedger: number
}

/** A call that a settlement authority of ours authorizes, as source account of the operation. */
interface AuthorityCall {
  /** `G...`; the engine has its key. */
  readonly address: string
  /** The call that the payer's client sent, before the amount is set. */
  readonly received: HostInvocation
  /** The only function that it authorizes, of the contract that is configured. */
  readonly functionName: string
  /** Index of the one argument in which the invocation differs from `received`. */
  readonly amountArgument: number
}

export type CheckedPayment =
  | { readonly ok: true; readonly payment: Payment }
  | { readonly ok: false; readonly refusal: Refusal }

/** The codes of what every scheme can find, where each may have its own. */
export interface OutcomeCodes {
  readonly expired: ReasonCode
  readonly expirationTooFar: ReasonCode
  readonly authorizationUsed: ReasonCode
  readonly simulationFailed: ReasonCode
  readonly feeExceedsMaximum: ReasonCode
}

export interface EventFacts {
  readonly payment: PaymentCall
  readonly policy: PaymentPolicy
  /** The events that the call would leave on the ledger, without events of calls that were rolled back. */
  readonly events: readonly HostEvent[]
  /** Events that were emitted while the payer's `__check_auth` ran: by spending policies, for instance. */
  readonly eventsOfCheckAuth: ReadonlySet<HostEvent>
}

export interface OutcomeFacts extends EventFacts {
  readonly simulation: SimulationSuccess
  /** The resources that the settlement's transaction would use. */
  readonly resources: TransactionResources
  /** The resources that the network lets one transaction use; undefined until it was read. */
  readonly limits: TransactionResources | undefined
  /** In stroops. */
  readonly totalFee: bigint
}

/** The rules that the simulation of a payment has to satisfy. */
export interface SimulationRules {
  readonly codes: OutcomeCodes
  readonly expiryChecks: readonly Check<ExpiryFacts>[]
  /** Checks of a call that succeeds, before those of its events: whether the ledger can do it and the service pays for it. */
  readonly costChecks: readonly Check<OutcomeFacts>[]
  /** Whether the call does what the payment says and nothing else. */
  readonly eventChecks: readonly Check<EventFacts>[]
  /** Causes of a call that fails, from the specific to the general. */
  readonly causes: readonly Cause[]
}

/** One scheme, or one profile of a scheme. */
export interface PaymentScheme {
  /** `scheme` of the requirements. */
  readonly name: SchemeName
  /** `extra.profile` of the requirements, where the scheme has several. */
  readonly profile?: string
  /** `extra` of `/supported`; undefined where the policy does not serve the scheme. */
  extra(policy: PaymentPolicy): Readonly<Record<string, unknown>> | undefined
  /** Every check that needs no ledger, after those of the protocol. Pure; never throws. */
  check(request: PaymentRequest, policy: PaymentPolicy, phase: Phase): CheckedPayment
  /** A payment that nobody signed: what its simulation does and costs is what a signed one would. */
  trial(terms: TrialTerms, policy: PaymentPolicy): PaymentCall
  readonly rules: Readonly<Record<Phase, SimulationRules>>
  /** Whether the payer's authorization makes the payment in any transaction, so that who sees it can make the payment. */
  readonly canAnyoneSettle: boolean
  /** Members that the answer to a successful settlement of `amount` base units has beside those of every scheme. */
  settledMembers(amount: bigint): { readonly amount?: string }
}
