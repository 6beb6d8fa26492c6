/**
 * The scheme `upto` in the profile `authority-v1`: the payer signs a ceiling, and the facilitator's settlement
 * authority settles at most that.
 */
import { settleAsAuthority } from '../../../stellar/authorization/authority-call.ts'
import { type Check, firstFinding } from '../../checks/check.ts'
import { expiryChecks } from '../../checks/expiry.ts'
import { payerEntry } from '../../checks/facts.ts'
import { feeUnderCeiling, stateIsLive, withinNetworkLimits } from '../../checks/outcome.ts'
import { requiredAsset } from '../../checks/policy.ts'
import { refused } from '../../protocol/refusal.ts'
import { openTransaction, readCall } from '../open-transaction.ts'
import type { OutcomeCodes, Payment, PaymentScheme, SimulationRules } from '../scheme.ts'
import { accountChecks } from './accounts.ts'
import { authorizationChecks } from './authorization.ts'
import { uptoCauses } from './causes.ts'
import { eventChecks } from './events.ts'
import type { UptoCallFacts } from './facts.ts'
import { policyChecks, readRequiredAmount } from './policy.ts'
import { contractIsLive } from './restore.ts'
import { argumentAt, readSettleTerms, SETTLE, unauthorizedSettle } from './settle-call.ts'
import { structureChecks } from './structure.ts'
import { UPTO_PROFILE, UPTO_SCHEME } from './terms.ts'

const callChecks: readonly Check<UptoCallFacts>[] = [...accountChecks, ...authorizationChecks]

const rulesFor = (codes: OutcomeCodes): SimulationRules => ({
  codes,
  expiryChecks: expiryChecks(codes),
  costChecks: [contractIsLive, stateIsLive, withinNetworkLimits(codes), feeUnderCeiling(codes)],
  eventChecks,
  causes: uptoCauses(codes),
})

const verifyCodes: OutcomeCodes = {
  expired: 'invalid_upto_stellar_payload_expired',
  expirationTooFar: 'invalid_upto_stellar_payload_expiration_too_far',
  authorizationUsed: 'invalid_upto_stellar_payload_authorization_used',
  simulationFailed: 'invalid_upto_stellar_payload_simulation_failed',
  feeExceedsMaximum: 'invalid_upto_stellar_payload_fee_exceeds_maximum',
}

export const upto: PaymentScheme = {
  name: UPTO_SCHEME,
  profile: UPTO_PROFILE,
  extra: (policy) =>
    policy.upto && {
      areFeesSponsored: true,
      profile: UPTO_PROFILE,
      uptoContract: policy.upto.contract,
      authority: policy.upto.authorities[0],
    },
  rules: {
    verify: rulesFor(verifyCodes),
    settle: rulesFor({ ...verifyCodes, expired: 'settle_upto_stellar_authorization_expired' }),
  },
  // The authority of the payment signs the transaction.
  canAnyoneSettle: false,
  settledMembers: (amount) => ({ amount: amount.toString() }),

  trial(terms, policy) {
    const { upto: served } = policy
    if (!served) throw new Error('the scheme upto is not served')
    const [address] = served.authorities
    const invocation = unauthorizedSettle({
      contract: served.contract,
      token: terms.asset.contract,
      from: terms.payer,
      to: terms.payTo,
      ceiling: terms.amount,
      expirationLedger: terms.expirationLedger,
      actual: terms.amount,
      authority: address,
    })
    return { scheme: upto, phase: 'verify', ...terms, invocation, authority: { address } }
  },

  /** Runs the checks in the documented order: policy, structure, accounts and amount, authorization. */
  check(request, policy, phase) {
    const served = policy.upto
    if (!served) throw new Error('the scheme upto is not served')
    const requested = { request, policy, phase, upto: served }
    const requestFinding = firstFinding(policyChecks, requested)
    if (requestFinding) return refused(requestFinding, policy)

    const opened = { ...requested, ...openTransaction(requested) }
    const structureFinding = firstFinding(structureChecks, opened)
    if (structureFinding) return refused(structureFinding, policy)

    const call = readCall(opened, argumentAt.from)
    const read = readSettleTerms(call.call)
    if (!read.ok) throw new Error('the structure checks let another call than settle through')
    const facts = { ...requested, ...call, terms: read.terms }
    const callFinding = firstFinding(callChecks, facts)
    if (callFinding) return refused(callFinding, policy, facts.payer)
    return { ok: true, payment: toPayment(facts) }
  },
}

/** Requires that all checks passed. */
function toPayment(facts: UptoCallFacts): Payment {
  const { request, phase, invocation, payer, terms } = facts
  const { payTo, maxTimeoutSeconds } = request.paymentRequirements
  const asset = requiredAsset(facts)
  const amount = readRequiredAmount(facts)
  const authorization = payerEntry(facts)
  if (!payTo || !asset || amount === undefined || !maxTimeoutSeconds || !authorization) {
    throw new Error('the checks let an incomplete payment through')
  }
  const amountArgument = argumentAt.actual
  return {
    scheme: upto,
    phase,
    request,
    payer,
    payTo,
    asset,
    amount,
    maxTimeoutSeconds,
    nonce: terms.nonce,
    authorization,
    invocation: settleAsAuthority(invocation, { amountArgument, amount }),
    authority: {
      address: terms.authority,
      functionName: SETTLE,
      received: invocation,
      amountArgument,
    },
  }
}
