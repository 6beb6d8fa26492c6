import type { UsdUnits } from '../../../platform/core/amounts/usd.ts'
import type { Quote } from '../../checks/check-simulation.ts'
import { identifierConflict } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import type { ClaimRequest } from '../../store/settlements/claim/claim-request.ts'
import type { BoundIdentifier } from '../../store/settlements/claim/identifiers.ts'
import type { SettlementKey } from '../../store/settlements/settlement.ts'
import type { SettleResult } from '../../usage/outcome.ts'
import { refuseAtLimit } from '../answers/refuse-at-limit.ts'
import { refusedPayment } from '../answers/settle-answer.ts'
import { resultOnceSent } from '../follow/sent-before.ts'
import { refuseTaken } from '../identifiers.ts'
import type { Place } from '../limits/capacity/channel-admission.ts'
import type { Moments } from '../limits/limit.ts'
import { refusalAt, requireRefusalAt } from '../limits/limits.ts'
import { claimWithinFunds } from '../limits/payers/claim-within-payer-funds.ts'
import type { LandedSettlements } from '../limits/payers/landed-settlements.ts'
import { requireSigner } from '../network/require-signer.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import { answerRepeat, type RepeatDeps } from '../repeat.ts'
import { factsOf, type SubmitDeps } from './claimed-payment.ts'
import { submitPayment } from './submit-payment.ts'

export interface SettleDeps extends Omit<SubmitDeps, 'uncertain'>, RepeatDeps {
  /** Names this process as the owner of its claims; no two processes share one. */
  readonly owner: string
  /** Accrued for the caller by a successful settlement. */
  readonly serviceFee: UsdUnits
}

/** The parts of a `Settler`. */
export interface SettlerDeps extends SettleDeps, SubmitDeps {
  readonly landed: LandedSettlements
}

/** A settle request that passed all checks which need no ledger. */
export interface CheckedRequest {
  readonly network: ServedNetwork
  readonly payment: Payment
  readonly key: SettlementKey
  readonly fingerprint: string
  /** Absent: the buyer gave none. */
  readonly identifier: BoundIdentifier | undefined
  /** The caller whose usage counts the request. */
  readonly caller: string
  /** Whose turn of simulations it takes: an API key, or the address of a client without one. */
  readonly client: string
}

interface QuotedRequest {
  readonly quote: Quote
  /** Whether the payer has other unfinished settlements of the asset. */
  readonly hasOthers: boolean
  readonly place: Place
}

/** Claims the authorization within the limits, then submits the payment, again with a higher bid when the network asks for one. */
export async function claimAndSubmit(
  deps: SettlerDeps,
  request: CheckedRequest,
  quoted: QuotedRequest,
): Promise<SettleResult> {
  const { quote, hasOthers, place } = quoted
  const { owner, timings, follower, landed } = deps
  const { network, payment, key, fingerprint, identifier } = request
  const { monitor, sponsorReserve: reserve } = network
  requireSigner(network)
  const facts: Moments['claim'] = { spendable: monitor.spendable, reserve, fee: quote.totalFee }
  const unpayable = refusalAt('claim', facts)
  if (unpayable) return refuseAtLimit(deps.metrics, request, unpayable)
  const claimRequest = claimOf(deps, request, quote)
  const { symbol } = payment.asset
  const funds = { simulatedOn: quote.simulatedOn, hasOthers, symbol }
  // The fee is promised before the claim: until the next poll, no other request may spend the same balance.
  const fee = monitor.claimedFees.promise(quote.totalFee)
  const claim = await network.stages
    .run('claim', () => claimWithinFunds(landed, network, claimRequest, funds))
    .finally(fee.stored)
  place.leave()
  if (claim.kind !== 'claimed') fee.release()
  if (claim.kind === 'existing') {
    return answerRepeat(deps, network, claim.settlement, fingerprint)
  }
  if (claim.kind === 'identifier_taken') {
    // Since the store was read.
    const refused = await refuseTaken(deps.store, request)
    return refused ?? refusedPayment(payment, { code: identifierConflict })
  }
  if (claim.kind !== 'claimed') {
    const refusal = requireRefusalAt('claim', { ...facts, refusal: claim })
    return refuseAtLimit(deps.metrics, request, refusal)
  }
  const fence = { key, owner, attempt: claim.attempt }
  if (identifier) follower.finisher.rememberIdentifier({ key, identifier })
  const { channel } = claim
  const { metering } = claimRequest
  const claimed = { network, payment, quote, fence, fingerprint, metering, channel }
  const sent = await submitPayment(deps, claimed)
  if (sent.kind !== 'sent') fee.release()
  if (sent.kind === 'outbid') {
    // Under the same authorization. If the transaction of the last attempt lands all the same, landed-after-all.ts finds it.
    const { higherBid } = sent
    monitor.outbid(higherBid.inclusionFee)
    const next = await claimAndSubmit(deps, request, { ...quoted, quote: higherBid })
    return resultOnceSent(deps.store, request, next)
  }
  const response =
    sent.kind === 'refused'
      ? sent.response
      : await follower.answerWithin(network, sent.submitted, timings.confirmWindowMs)
  if (response.transaction !== '') return { response, started: key }
  // Another process, or this one, may have sent an earlier attempt since the store was read.
  return claim.attempt === 1 ? { response } : resultOnceSent(deps.store, request, { response })
}

const claimOf = (
  { owner, timings, serviceFee }: SettleDeps,
  { network, payment, key, fingerprint, identifier, caller }: CheckedRequest,
  quote: Quote,
): Omit<ClaimRequest, 'limitToFunds' | 'funds'> => ({
  key,
  fingerprint,
  facts: factsOf(payment),
  identifier,
  expirationLedger: payment.authorization.expirationLedger,
  sponsor: network.sponsor.address,
  owner,
  claimTtlMs: timings.claimTtlMs,
  leaseTtlMs: timings.leaseTtlMs,
  budget: { fee: quote.totalFee, hourly: network.hourlyBudget, keyShare: network.keyShare },
  metering: { caller, serviceFee },
  waitsInLine: network.channelQueue.length > 0,
  channelsBelow: network.channels.indexAfter(network.monitor.maxInFlight),
})
