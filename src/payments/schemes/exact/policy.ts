/** Whether the configured policy allows the terms. */
import { type Check, rule } from '../../checks/check.ts'
import type { RequestFacts } from '../../checks/facts.ts'
import {
  assetAccepted,
  feesSponsored,
  outOfRange,
  payToPayable,
  readAmount,
  requiredAsset,
  shown,
  timeoutInRange,
} from '../../checks/policy.ts'

export const policyChecks: readonly Check<RequestFacts>[] = [
  assetAccepted,
  payToPayable,

  rule('amount is positive', 'invalid_exact_stellar_requirements_invalid_amount', (facts) => {
    const { amount } = facts.request.paymentRequirements
    return readAmount(amount) === undefined
      ? `amount is ${shown(amount)}, expected a positive whole number of base units of at most 128 bits`
      : undefined
  }),

  rule('amount is in range', 'invalid_exact_stellar_requirements_amount_out_of_range', (facts) => {
    const asset = requiredAsset(facts)
    const amount = readAmount(facts.request.paymentRequirements.amount)
    return asset && amount !== undefined ? outOfRange(amount, asset) : undefined
  }),

  timeoutInRange,
  feesSponsored,
]
