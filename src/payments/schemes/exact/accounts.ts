/** Whether the call moves the required amount to the required recipient, and from none of our accounts. */
import {
  conditionsKept,
  payerNotOurs,
  payerNotRecipient,
  sourcesNotOurs,
} from '../../checks/accounts.ts'
import { type Check, rule } from '../../checks/check.ts'
import type { CallFacts } from '../../checks/facts.ts'

export const accountChecks: readonly Check<CallFacts>[] = [
  sourcesNotOurs,
  payerNotOurs,

  rule('contract is the asset', 'invalid_exact_stellar_payload_wrong_asset', (facts) => {
    const { asset } = facts.request.paymentRequirements
    return facts.call.contract === asset
      ? undefined
      : `the call is to contract ${facts.call.contract}, expected ${asset}`
  }),

  rule('recipient is payTo', 'invalid_exact_stellar_payload_wrong_recipient', (facts) => {
    const { payTo } = facts.request.paymentRequirements
    const to = facts.call.args[1]
    if (to?.type === 'address' && to.value === payTo) return undefined
    return `the transfer is to ${to?.type === 'address' ? to.value : `a value of type ${to?.type}`}, expected ${payTo}`
  }),

  payerNotRecipient,

  rule('amount is exact', 'invalid_exact_stellar_payload_wrong_amount', (facts) => {
    const { amount } = facts.request.paymentRequirements
    const moved = facts.call.args[2]
    if (moved?.type !== 'i128') {
      return `argument 2 of transfer is of type ${moved?.type}, expected i128`
    }
    return moved.value.toString() === amount
      ? undefined
      : `the transfer is for ${moved.value} base units, expected ${amount}`
  }),

  conditionsKept,
]
