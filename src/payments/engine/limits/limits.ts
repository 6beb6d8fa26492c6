/**
 * Every reason for which a payment that passed its checks waits, is refused or bids again, in the order in which they
 * are asked. The other files of this folder keep what the limits compare with. The claim's statement
 * decides the budget, the key's share and the payer's funds, under the locks of the store.
 */
import { settleCodes } from '../../protocol/settle-codes.ts'
import type { Limit, Moment, Moments, Reached, Refusal } from './limit.ts'

const limit = <M extends Moment>(rule: Limit<M>): Limit<M> => rule

const pausedMessage = ({ payer, pausedForMs = 0 }: Moments['verify']): string | false =>
  pausedForMs > 0 &&
  `payments of ${payer} failed on the ledger by its own fault; it is paused for ${Math.ceil(pausedForMs / 1_000)} s more`

export const LIMITS: readonly Limit[] = [
  limit({
    name: 'payer paused',
    when: ['verify', 'request'],
    effect: 'refuse',
    code: settleCodes.payerPaused,
    metric: { name: 'payerRefusals', labels: { rule: 'paused' } },
    sentence:
      '`PAYER_PAUSE_FAILURES` settlements of the payer failed on the ledger by its own fault within `PAYER_PAUSE_WINDOW_SECONDS`, the last one less than `PAYER_PAUSE_SECONDS` ago.',
    decide: pausedMessage,
  }),
  limit({
    name: 'admission',
    when: ['request'],
    effect: 'refuse',
    code: settleCodes.channelUnavailable,
    metric: { name: 'notAdmitted', labels: {} },
    healthCount: 'lease_timeout',
    hasRetryAfter: true,
    sentence:
      'More settlements of this process wait for a channel, or are on their way there, than can get one in 5 s.',
    decide: ({ isAdmitted }) => !isAdmitted,
  }),
  limit({
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
  }),
  limit({
    name: 'hourly budget',
    when: ['claim'],
    effect: 'refuse',
    code: settleCodes.sponsorUnavailable,
    sentence: 'The fees of the last hour leave too little of `MAX_SPONSOR_SPEND_XLM_PER_HOUR`.',
    decide: ({ refusal }) =>
      refusal?.kind === 'over_budget' &&
      'the fees of the last hour leave too little of the hourly budget for this one',
  }),
  limit({
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
  }),
  limit({
    name: "payer's funds",
    when: ['verify', 'claim'],
    effect: 'refuse',
    code: 'insufficient_funds',
    metric: { name: 'payerRefusals', labels: { rule: 'funds' } },
    sentence:
      "With `PAYER_FUNDS_LIMIT`: the payer's unfinished payments of the asset and this one exceed its balance.",
    decide({ refusal }) {
      if (refusal?.kind !== 'over_funds') return false
      const { payer, amount, symbol, balance } = refusal
      return (
        `the payer ${payer} holds ${balance.amount} base units of ${symbol} on ledger ${balance.ledger}; ` +
        `its unfinished payments leave less than the ${amount} of this one`
      )
    },
  }),
  limit({
    name: 'free channel',
    when: ['lease'],
    effect: 'wait',
    sentence:
      "No channel is free whose index is below the number of settlements that the network's queue holds, or other claims of this process wait for one: up to 5 s.",
    decide: ({ channel }) => channel === 'none free',
  }),
  limit({
    name: 'channel in time',
    when: ['lease'],
    effect: 'refuse',
    code: settleCodes.channelUnavailable,
    healthCount: 'lease_timeout',
    hasRetryAfter: true,
    sentence: 'No channel became free within that wait.',
    decide: ({ channel }) => channel === 'late',
  }),
  limit({
    name: 'channel on the ledger',
    when: ['lease'],
    effect: 'refuse',
    code: settleCodes.channelUnavailable,
    hasRetryAfter: true,
    sentence: 'The account of the leased channel does not exist.',
    decide: ({ channel }) =>
      typeof channel === 'object' && `channel ${channel.missing} does not exist on the ledger`,
  }),
  limit({
    name: 'expired while it waited',
    when: ['lease'],
    effect: 'refuse',
    code: 'expired',
    // No later ledger accepts the authorization, so that the transaction could only be dropped.
    sentence: 'The authorization expired while the payment waited for its channel.',
    decide: ({ waited }) =>
      waited !== undefined &&
      waited.latestLedger >= waited.expirationLedger &&
      `the authorization expired after ledger ${waited.expirationLedger}, while the payment waited for a channel; the latest is ${waited.latestLedger}`,
  }),
  limit({
    name: 'payer paused while it waited',
    when: ['lease'],
    effect: 'refuse',
    code: settleCodes.payerPaused,
    metric: { name: 'payerRefusals', labels: { rule: 'paused' } },
    sentence: 'Other settlements of the payer failed while the payment waited for its channel.',
    decide: pausedMessage,
  }),
  limit({
    name: 'highest bid',
    when: ['send'],
    effect: 'refuse',
    code: settleCodes.sponsorUnavailable,
    sentence:
      'The network asks for a higher fee than `INCLUSION_FEE_CAP_STROOPS` or `MAX_TX_FEE_STROOPS` allows.',
    decide: ({ higherBid }) =>
      !higherBid && 'the network is busy: it asks for a higher fee than this service pays',
  }),
  limit({
    name: 'outbid',
    when: ['send'],
    effect: 'bid again',
    sentence:
      'The network asks for a higher fee: the payment is claimed again, with at least twice the bid.',
    decide: ({ higherBid }) => higherBid !== undefined,
  }),
]

/** The first limit of the moment that the facts reach. */
export function limitAt<M extends Moment>(moment: M, facts: Moments[M]): Reached | undefined {
  for (const limit of LIMITS) {
    if (!limit.when.includes(moment)) continue
    const decided = limit.decide(facts)
    if (decided === false) continue
    if (limit.effect !== 'refuse') return { limit }
    return { limit, message: decided === true ? undefined : decided }
  }
  return undefined
}

/** The same, where only a refusal ends the payment. */
export function refusalAt<M extends Moment>(moment: M, facts: Moments[M]): Refusal | undefined {
  const reached = limitAt(moment, facts)
  return reached && isRefusal(reached) ? reached : undefined
}

/** The refusal for facts that must reach a limit. */
export function requireRefusalAt<M extends Moment>(moment: M, facts: Moments[M]): Refusal {
  const refusal = refusalAt(moment, facts)
  if (!refusal) throw new Error(`no limit of the moment '${moment}' refuses the payment`)
  return refusal
}

const isRefusal = (reached: Reached): reached is Refusal => reached.limit.effect === 'refuse'

/** Codes of answers that name the seconds after which the same request may succeed. */
export const codesWithRetryAfter: ReadonlySet<string> = new Set(
  LIMITS.flatMap((each) => (each.effect === 'refuse' && each.hasRetryAfter ? [each.code] : [])),
)
