/** A settlement needs a channel of its own: it waits for one, and is refused when none becomes free in time. */
import { settleCodes } from '../../../protocol/reasons.ts'
import { limit } from '../limit.ts'

export const channelAdmission = limit({
  name: 'admission',
  when: ['request'],
  effect: 'refuse',
  code: settleCodes.channelUnavailable,
  metric: { name: 'notAdmitted', labels: {} },
  healthCount: 'lease_timeout',
  hasRetryAfter: true,
  sentence:
    'More settlements come before it than can get a channel in 5 s. Of those of this process that wait for one, or have a quote and are on their way there, these are all of its payer, and of each other payer at most one more.',
  decide: ({ isAdmitted }) => !isAdmitted,
})

export const freeChannel = limit({
  name: 'free channel',
  when: ['lease'],
  effect: 'wait',
  sentence:
    "No channel is free whose index is below the number of settlements that the network's queue holds, or other claims of this process wait for one: up to 5 s. Every fourth channel is free only for a payer that holds, with it, one in sixteen of the pool's at most or a single one, until it was idle for 2.5 s while a claim waited as long.",
  decide: ({ channel }) => channel === 'none free',
})

export const channelInTime = limit({
  name: 'channel in time',
  when: ['lease'],
  effect: 'refuse',
  code: settleCodes.channelUnavailable,
  healthCount: 'lease_timeout',
  hasRetryAfter: true,
  sentence: 'No channel became free within that wait.',
  decide: ({ channel }) => channel === 'late',
})

export const channelOnTheLedger = limit({
  name: 'channel on the ledger',
  when: ['lease'],
  effect: 'refuse',
  code: settleCodes.channelUnavailable,
  hasRetryAfter: true,
  sentence: 'The account of the leased channel does not exist.',
  decide: ({ channel }) =>
    typeof channel === 'object' && `channel ${channel.missing} does not exist on the ledger`,
})

export const expiredWhileWaiting = limit({
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
})
