/** The scheme `exact`: the payer signs one transfer of the price. */
import { unauthorizedCall } from '../../../stellar/contracts/contract-call.ts'
import { readAmount } from '../../../stellar/values/read-amount.ts'
import type { Cause } from '../../causes/cause.ts'
import { sharedCauses } from '../../causes/shared.ts'
import { type Check, firstFinding } from '../../checks/check.ts'
import { expiryChecks } from '../../checks/expiry.ts'
import { type CallFacts, payerEntry } from '../../checks/facts.ts'
import { feeUnderCeiling, stateIsLive, withinNetworkLimits } from '../../checks/outcome.ts'
import { requiredAsset } from '../../checks/policy.ts'
import { refused } from '../../protocol/refusal.ts'
import { openTransaction, readCall } from '../open-transaction.ts'
import type {
  OutcomeCodes,
  Payment,
  PaymentScheme,
  Phase,
  SimulationRules,
  TrialTerms,
} from '../scheme.ts'
import { accountChecks } from './accounts.ts'
import { authorizationChecks } from './authorization.ts'
import { eventChecks } from './events.ts'
import { policyChecks } from './policy.ts'
import { structureChecks, TRANSFER } from './structure.ts'

/** Checks of the call and its authorization; the first finding is the answer. */
export const callChecks: readonly Check<CallFacts>[] = [...accountChecks, ...authorizationChecks]

const codes: OutcomeCodes = {
  expired: 'invalid_exact_stellar_signature_expired',
  expirationTooFar: 'invalid_exact_stellar_signature_expiration_too_far',
  authorizationUsed: 'invalid_exact_stellar_payload_nonce_already_used',
  simulationFailed: 'invalid_exact_stellar_payload_simulation_failed',
  feeExceedsMaximum: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
}

const causes: readonly Cause[] = sharedCauses(codes)

const rules: SimulationRules = {
  codes,
  expiryChecks: expiryChecks(codes),
  costChecks: [stateIsLive, withinNetworkLimits(codes), feeUnderCeiling(codes)],
  eventChecks,
  causes,
}

export const exact: PaymentScheme = {
  name: 'exact',
  extra: () => ({ areFeesSponsored: true }),
  rules: { verify: rules, settle: rules },
  canAnyoneSettle: true,
  settledMembers: () => ({}),
  trial: (terms) => ({ scheme: exact, phase: 'verify', ...terms, invocation: transferOf(terms) }),

  /** Runs the checks in the documented order: policy, structure, accounts and amount, authorization. */
  check(request, policy, phase) {
    const requestFinding = firstFinding(policyChecks, { request, policy })
    if (requestFinding) return refused(requestFinding, policy)

    const opened = openTransaction({ request, policy })
    const structureFinding = firstFinding(structureChecks, opened)
    if (structureFinding) return refused(structureFinding, policy)

    const facts = readCall(opened, 0)
    const callFinding = firstFinding(callChecks, facts)
    if (callFinding) return refused(callFinding, policy, facts.payer)
    return { ok: true, payment: toPayment(facts, phase) }
  },
}

const transferOf = ({ asset, payer, payTo, amount }: TrialTerms) =>
  unauthorizedCall(asset.contract, TRANSFER, [
    { type: 'address', value: payer },
    { type: 'address', value: payTo },
    { type: 'i128', value: amount },
  ])

/** Requires that all checks passed. */
function toPayment(facts: CallFacts, phase: Phase): Payment {
  const { request, invocation, payer } = facts
  const { payTo, maxTimeoutSeconds } = request.paymentRequirements
  const asset = requiredAsset(facts)
  const amount = readAmount(request.paymentRequirements.amount)
  const authorization = payerEntry(facts)
  if (!payTo || !asset || !amount || !maxTimeoutSeconds || !authorization) {
    throw new Error('the checks let an incomplete payment through')
  }
  return {
    scheme: exact,
    phase,
    request,
    payer,
    payTo,
    asset,
    amount,
    maxTimeoutSeconds,
    nonce: authorization.nonce.toString(),
    authorization,
    invocation,
  }
}
