/** Whether the configured policy allows the terms. */
import { addressKind, baseAddress } from '../../stellar/accounts/strkey.ts'
import { readAmount } from '../../stellar/values/read-amount.ts'
import type { AcceptedAsset } from '../protocol/policy.ts'
import { type Check, rule } from './check.ts'
import type { RequestFacts } from './facts.ts'

export const shown = (value: unknown): string =>
  value === undefined ? 'missing' : JSON.stringify(value)

export const assetAccepted: Check<RequestFacts> = rule(
  'asset is accepted',
  'invalid_exact_stellar_requirements_asset_not_accepted',
  (facts) => {
    if (requiredAsset(facts)) return undefined
    const accepted = [...facts.policy.assets.values()]
      .map(({ symbol, contract }) => `${symbol} (${contract})`)
      .join(', ')
    return `asset is ${shown(facts.request.paymentRequirements.asset)}, accepted here: ${accepted}`
  },
)

export const payToPayable: Check<RequestFacts> = rule(
  'payTo can be paid',
  'invalid_exact_stellar_requirements_invalid_pay_to',
  (facts) => {
    const { payTo } = facts.request.paymentRequirements
    if (payTo === undefined || !addressKind(payTo)) {
      return `payTo is ${shown(payTo)}, expected a G, C or M address with a valid checksum`
    }
    return facts.policy.isOwnAccount(baseAddress(payTo))
      ? `payTo ${payTo} is one of the facilitator's own accounts`
      : undefined
  },
)

export const timeoutInRange: Check<RequestFacts> = rule(
  'timeout is in range',
  'invalid_exact_stellar_requirements_timeout_out_of_range',
  ({ request, policy }) => {
    const { timeoutMinSeconds: min, timeoutMaxSeconds: max } = policy
    const seconds = request.paymentRequirements.maxTimeoutSeconds
    const fits = seconds !== undefined && Number.isInteger(seconds)
    return fits && seconds >= min && seconds <= max
      ? undefined
      : `maxTimeoutSeconds is ${shown(seconds)}, expected a whole number from ${min} to ${max}`
  },
)

export const feesSponsored: Check<RequestFacts> = rule(
  'fees are sponsored',
  'invalid_exact_stellar_requirements_fees_not_sponsored',
  (facts) => {
    const sponsored = facts.request.paymentRequirements.extra?.['areFeesSponsored']
    return sponsored === true
      ? undefined
      : `extra.areFeesSponsored is ${shown(sponsored)}, expected true`
  },
)

export const requiredAsset = ({ request, policy }: RequestFacts): AcceptedAsset | undefined =>
  policy.assets.get(request.paymentRequirements.asset ?? '')

/** The message when the text of this member is no amount that a payment can be of. */
export const notPositive = (member: string, text: string | undefined): string | undefined =>
  readAmount(text) === undefined
    ? `${member} is ${shown(text)}, expected a positive whole number of base units of at most 128 bits`
    : undefined

/** The message when one payment of the required asset may not be of this amount. What is no amount has a message of its own. */
export function notInRange(facts: RequestFacts, text: string | undefined): string | undefined {
  const asset = requiredAsset(facts)
  const amount = readAmount(text)
  return asset && amount !== undefined ? outOfRange(amount, asset) : undefined
}

function outOfRange(amount: bigint, { min, max, symbol }: AcceptedAsset): string | undefined {
  if (min !== undefined && amount < min) {
    return `amount is ${amount}, expected at least ${min} base units of ${symbol}`
  }
  if (max !== undefined && amount > max) {
    return `amount is ${amount}, expected at most ${max} base units of ${symbol}`
  }
  return undefined
}
