/** Whether the configured policy allows the terms, and this service is the one that they name. */

import { readAmount } from '../../../stellar/values/read-amount.ts'
import { type Check, rule } from '../../checks/check.ts'
import {
  assetAccepted,
  feesSponsored,
  notInRange,
  notPositive,
  payToPayable,
  shown,
  timeoutInRange,
} from '../../checks/policy.ts'
import type { UptoRequestFacts } from './facts.ts'

export const policyChecks: readonly Check<UptoRequestFacts>[] = [
  assetAccepted,
  payToPayable,

  rule(
    'the contract can pay payTo',
    'invalid_exact_stellar_requirements_invalid_pay_to',
    ({ request, upto }) => {
      const { payTo } = request.paymentRequirements
      if (payTo?.startsWith('M')) {
        return `payTo is ${payTo}, expected a G or C address: the scheme upto cannot pay a muxed address`
      }
      return payTo === upto.contract ? `payTo ${payTo} is the settlement contract` : undefined
    },
  ),

  rule('ceiling is positive', 'invalid_exact_stellar_requirements_invalid_amount', ({ request }) =>
    notPositive('accepted.amount', request.paymentPayload.accepted.amount),
  ),

  rule('amount can be settled', 'invalid_exact_stellar_requirements_invalid_amount', (facts) => {
    const { amount } = facts.request.paymentRequirements
    if (readRequiredAmount(facts) !== undefined) return undefined
    const expected = facts.phase === 'settle' ? 'zero or a positive' : 'a positive'
    return `amount is ${shown(amount)}, expected ${expected} whole number of base units of at most 128 bits`
  }),

  // Checks the ceiling alone: a seller that meters may settle less than the least amount that it would sell for.
  rule('ceiling is in range', 'invalid_exact_stellar_requirements_amount_out_of_range', (facts) =>
    notInRange(facts, facts.request.paymentPayload.accepted.amount),
  ),

  timeoutInRange,
  feesSponsored,

  rule('contract is served', 'invalid_upto_stellar_payload_wrong_contract', (facts) => {
    const contract = facts.request.paymentRequirements.extra?.['uptoContract']
    return contract === facts.upto.contract
      ? undefined
      : `extra.uptoContract is ${shown(contract)}, expected ${facts.upto.contract}`
  }),

  rule(
    'authority is ours',
    'invalid_exact_stellar_payload_unauthorized_invocation',
    ({ request, upto }) => {
      const authority = request.paymentRequirements.extra?.['authority']
      return upto.authorities.some((own) => own === authority)
        ? undefined
        : `extra.authority is ${shown(authority)}, which this service cannot settle for; it is ${upto.authorities[0]}`
    },
  ),
]

/** The amount at `verify` is the ceiling, at `settle` the actual amount, which may be zero; undefined for every other text. */
export function readRequiredAmount({
  request,
  phase,
}: Pick<UptoRequestFacts, 'request' | 'phase'>): bigint | undefined {
  const { amount } = request.paymentRequirements
  return phase === 'settle' && amount === '0' ? 0n : readAmount(amount)
}
