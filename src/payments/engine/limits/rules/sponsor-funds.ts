/** Limits by the sums that the sponsor has and may spend: a payment whose fee exceeds it is refused. */
import { settleCodes } from '../../../protocol/reasons.ts'
import { limit } from '../limit.ts'

export const sponsorFunds = limit({
  name: "sponsor's funds",
  when: ['claim'],
  effect: 'refuse',
  code: settleCodes.sponsorUnavailable,
  sentence:
    "The sponsor's balance is unknown; or what it can spend, less the fees of all settlements under way, is below `SPONSOR_RESERVE_XLM` or the fee.",
  // stellar-core refuses a transaction when the fees of all queued ones of its fee source exceed what that account
  // can spend. The reserve also covers the claims of other replicas since the last poll.
  decide: ({ spendable, reserve, fee }) =>
    spendable === undefined || spendable < reserve || spendable < fee,
})

export const hourlyBudget = limit({
  name: 'hourly budget',
  when: ['claim'],
  effect: 'refuse',
  code: settleCodes.sponsorUnavailable,
  sentence: 'The fees of the last hour leave too little of `MAX_SPONSOR_SPEND_XLM_PER_HOUR`.',
  decide: ({ refusal }) =>
    refusal?.kind === 'over_budget' &&
    'the fees of the last hour leave too little of the hourly budget for this one',
})

export const keyShare = limit({
  name: "key's share",
  when: ['claim'],
  effect: 'refuse',
  code: settleCodes.sponsorUnavailable,
  metric: { name: 'payerRefusals', labels: { rule: 'key_share' } },
  isCallersFault: true,
  sentence:
    "The fees of the last hour leave too little of the API key's `MAX_KEY_SHARE_OF_BUDGET_PERCENT` of that budget.",
  decide: ({ refusal }) =>
    refusal?.kind === 'over_key_share' &&
    "this key's share of the hourly budget has too little left for this one",
})
