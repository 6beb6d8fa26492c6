import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { Simulation, SimulationSuccess } from '../../stellar/rpc/rpc.ts'
import { resourceFeeOf, settlementFee } from '../../stellar/transactions/settlement-envelope.ts'
import {
  settlementResources,
  type TransactionResources,
} from '../../stellar/transactions/transaction-resources.ts'
import { diagnose } from '../causes/diagnosis.ts'
import type { PaymentPolicy } from '../protocol/policy.ts'
import type { Refusal } from '../protocol/refusal.ts'
import type { OutcomeFacts, Payment, PaymentCall } from '../schemes/scheme.ts'
import { type Finding, firstFinding } from './check.ts'
import { checkAuthEvents, ledgerEvents } from './events.ts'

export interface SimulationTerms {
  /** The ledger interval that the ledger clock estimates. */
  readonly secondsPerLedger: number
  /** The bid per operation that a settlement would make now. */
  readonly inclusionFee: Stroops
  /** The network's limits on one transaction; the check needs them, and is left out without. */
  readonly limits?: TransactionResources | undefined
}

/** Footprint and fees of the settlement of one payment, by its simulation. */
export interface Quote {
  /** The latest ledger known: the settlement can only be in a later one. */
  readonly latestLedger: number
  /** The ledger whose state was enough for the payment; at most `latestLedger`. */
  readonly simulatedOn: number
  /** Base64 XDR `SorobanTransactionData`. */
  readonly transactionData: string
  /** Bid per operation; the fee ceiling was checked with it. */
  readonly inclusionFee: Stroops
  readonly resourceFee: Stroops
  /** The most the sponsor can be charged at this bid. */
  readonly totalFee: Stroops
}

export type CheckedSimulation =
  | { readonly ok: true; readonly quote: Quote }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Checks a payment by an enforcing simulation of `simulationEnvelope(payment.invocation, payment.authority?.address)`:
 * expiry against the latest ledger known, then whether and why the call fails, then what it
 * does and costs. Pure.
 */
export function checkSimulation(
  payment: Payment,
  simulation: Simulation,
  terms: SimulationTerms,
  policy: PaymentPolicy,
): CheckedSimulation {
  const refused = (finding: Finding): CheckedSimulation => ({
    ok: false,
    refusal: { ...finding, payer: payment.payer },
  })
  const rules = payment.scheme.rules[payment.phase]
  const { latestLedger, simulatedOn = latestLedger } = simulation
  const { maxTimeoutSeconds } = payment
  const { secondsPerLedger } = terms
  const { expirationLedger } = payment.authorization
  const expiry = { expirationLedger, maxTimeoutSeconds, latestLedger, secondsPerLedger, policy }
  // Ledger zero: the endpoint refused the request without reading a ledger.
  const expiryFinding = latestLedger > 0 && firstFinding(rules.expiryChecks, expiry)
  if (expiryFinding) return refused(expiryFinding)
  if (simulation.kind === 'failed') {
    return refused(diagnose(payment, simulation, { rules, policy }))
  }

  const facts = outcomeFacts(payment, simulation, terms, policy)
  const finding = firstFinding(rules.costChecks, facts) ?? firstFinding(rules.eventChecks, facts)
  if (finding) return refused(finding)
  const { transactionData } = simulation
  const { inclusionFee } = terms
  const { resourceFee, totalFee } = facts
  const fees = { inclusionFee, resourceFee, totalFee }
  return { ok: true, quote: { latestLedger, simulatedOn, transactionData, ...fees } }
}

/** The effects and the cost of the call of a payment, for the checks of its scheme. */
export function outcomeFacts(
  payment: PaymentCall,
  simulation: SimulationSuccess,
  { inclusionFee, limits }: Pick<SimulationTerms, 'inclusionFee' | 'limits'>,
  policy: PaymentPolicy,
) {
  const resourceFee = resourceFeeOf(simulation.transactionData)
  const { invocation, authority, payer } = payment
  return {
    payment,
    simulation,
    resources: settlementResources(invocation, simulation, authority !== undefined),
    limits,
    events: ledgerEvents(simulation.events),
    eventsOfCheckAuth: checkAuthEvents(simulation.events, payer),
    resourceFee,
    totalFee: settlementFee(inclusionFee, resourceFee),
    policy,
  } satisfies OutcomeFacts & { readonly resourceFee: Stroops }
}
