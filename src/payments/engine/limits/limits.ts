/**
 * Every reason for which a payment that passed its checks waits, is refused or bids again, in the order in which they
 * are asked. Their rules are in rules/; the other folders keep what the rules compare with: payers/, turns/ of simulations, and capacity/
 * of channels, the network's queue and the sponsor. The claim's statement decides the budget, the key's share and the payer's funds, under
 * the locks of the store.
 */

import type { Limit, Moment, Moments, Reached, Refusal } from './limit.ts'
import { highestBid, outbid } from './rules/bid-limits.ts'
import {
  channelAdmission,
  channelInTime,
  channelOnTheLedger,
  expiredWhileWaiting,
  freeChannel,
} from './rules/channel-limits.ts'
import { payerFunds, payerPaused, payerPausedWhileWaiting } from './rules/payer-limits.ts'
import { simulationInTime, simulationLine } from './rules/simulation-limits.ts'
import { hourlyBudget, keyShare, sponsorFunds } from './rules/sponsor-funds.ts'

export const LIMITS: readonly Limit[] = [
  payerPaused,
  channelAdmission,
  simulationLine,
  simulationInTime,
  sponsorFunds,
  hourlyBudget,
  keyShare,
  payerFunds,
  freeChannel,
  channelInTime,
  channelOnTheLedger,
  expiredWhileWaiting,
  payerPausedWhileWaiting,
  highestBid,
  outbid,
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
