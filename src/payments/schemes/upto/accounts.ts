/** Whether the call settles the required payment by an authority of ours, and within what the payer signed. */
import {
  conditionsKept,
  payerNotOurs,
  payerNotRecipient,
  sourcesNotOurs,
} from '../../checks/accounts.ts'
import { type Check, rule } from '../../checks/check.ts'
import type { UptoCallFacts } from './facts.ts'
import { readRequiredAmount } from './policy.ts'
import { argumentAt } from './settle-call.ts'

export const accountChecks: readonly Check<UptoCallFacts>[] = [
  sourcesNotOurs,
  payerNotOurs,

  rule(
    'contract is the settlement contract',
    'invalid_upto_stellar_payload_wrong_contract',
    ({ call, upto }) =>
      call.contract === upto.contract
        ? undefined
        : `the call is to contract ${call.contract}, expected ${upto.contract}`,
  ),

  rule('token is the asset', 'invalid_exact_stellar_payload_wrong_asset', ({ request, terms }) => {
    const { asset } = request.paymentRequirements
    return terms.token === asset
      ? undefined
      : `the settlement is in token ${terms.token}, expected ${asset}`
  }),

  rule(
    'recipient is payTo',
    'invalid_exact_stellar_payload_wrong_recipient',
    ({ request, terms }) => {
      const { payTo } = request.paymentRequirements
      return terms.to === payTo ? undefined : `the settlement is to ${terms.to}, expected ${payTo}`
    },
  ),

  payerNotRecipient,

  rule(
    'ceiling is the accepted amount',
    'invalid_upto_stellar_payload_wrong_max_amount',
    ({ request, terms }) => {
      const { amount } = request.paymentPayload.accepted
      return terms.ceiling.toString() === amount
        ? undefined
        : `the payer signed at most ${terms.ceiling} base units, expected ${amount}`
    },
  ),

  rule(
    'amount is within the ceiling',
    'invalid_upto_stellar_payload_settlement_exceeds_amount',
    (facts) => {
      const amount = readRequiredAmount(facts)
      const { ceiling } = facts.terms
      return amount !== undefined && amount > ceiling
        ? `amount is ${amount}, the payer signed at most ${ceiling} base units`
        : undefined
    },
  ),

  // It is replaced; a client that fills in anything else has not understood the scheme.
  rule(
    "the client's amount is within the ceiling",
    'invalid_exact_stellar_payload_wrong_amount',
    ({ terms: { actual, ceiling } }) =>
      actual >= 0n && actual <= ceiling
        ? undefined
        : `argument ${argumentAt.actual} of settle is ${actual}, expected 0 to ${ceiling}`,
  ),

  rule(
    'authority is the required one',
    'invalid_exact_stellar_payload_unauthorized_invocation',
    ({ request, terms }) => {
      const authority = request.paymentRequirements.extra?.['authority']
      return terms.authority === authority
        ? undefined
        : `the payer lets ${terms.authority} settle, expected ${authority}`
    },
  ),

  conditionsKept,
]
