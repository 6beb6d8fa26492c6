/** Whether the configured policy allows the terms. */
import { type Check, rule } from '../../checks/check.ts'
import type { RequestFacts } from '../../checks/facts.ts'
import {
  assetAccepted,
  feesSponsored,
  notInRange,
  notPositive,
  payToPayable,
  timeoutInRange,
} from '../../checks/policy.ts'

export const policyChecks: readonly Check<RequestFacts>[] = [
  assetAccepted,
  payToPayable,

  rule('amount is positive', 'invalid_exact_stellar_requirements_invalid_amount', ({ request }) =>
    notPositive('amount', request.paymentRequirements.amount),
  ),

  rule('amount is in range', 'invalid_exact_stellar_requirements_amount_out_of_range', (facts) =>
    notInRange(facts, facts.request.paymentRequirements.amount),
  ),

  timeoutInRange,
  feesSponsored,
]
