import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { UsdUnits } from '../../platform/core/amounts/usd.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { claimableStates } from '../../platform/database/schema.ts'
import { addToLogScope } from '../../platform/telemetry/logs/log-scope.ts'
import { checkPayment } from '../checks/check-payment.ts'
import type { Quote } from '../checks/check-simulation.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import type { Payment } from '../schemes/scheme.ts'
import type { ClaimRequest } from '../store/settlements/claim/claim-request.ts'
import { findSettlement } from '../store/settlements/find.ts'
import { type FoundSettlement, lookUpSettlement } from '../store/settlements/look-up.ts'
import {
  type Settlement,
  type SettlementKey,
  settlementId,
} from '../store/settlements/settlement.ts'
import type { SettleResult } from '../usage/outcome.ts'
import { type NotSettled, notSettled, subjectOf } from './answers.ts'
import { factsOf, type SubmitDeps } from './claimed-payment.ts'
import { finishLanded } from './follow/landed-after-all.ts'
import type { Place } from './limits/admission.ts'
import { canSponsorPay } from './limits/can-sponsor-pay.ts'
import { claimWithinFunds } from './limits/claim-within-funds.ts'
import { LandedSettlements } from './limits/landed-settlements.ts'
import { refusePaused } from './limits/payer-pause.ts'
import type { ServedNetwork } from './network/served-network.ts'
import { quotePayment } from './quote-payment.ts'
import { answerRepeat, fingerprintOf, type RepeatDeps } from './repeat.ts'
import { bidAgain } from './send/bid-again.ts'
import { submitPayment } from './send/submit-payment.ts'
import { UncertainClaims } from './uncertain-claims.ts'

export interface SettleDeps extends Omit<SubmitDeps, 'uncertain'>, RepeatDeps {
  /** Names this process as the owner of its claims; no two processes share one. */
  readonly owner: string
  /** Accrued for the caller by a successful settlement. */
  readonly serviceFee: UsdUnits
}

/** The parts of a `Settler`. */
interface SettlerDeps extends SettleDeps, SubmitDeps {
  readonly landed: LandedSettlements
}

/** A settle request that passed all checks which need no ledger. */
interface CheckedRequest {
  readonly network: ServedNetwork
  readonly payment: Payment
  readonly key: SettlementKey
  readonly fingerprint: string
  /** The caller whose usage counts the request. */
  readonly caller: string
}

/**
 * Settles each authorization once. Never needs an earlier verify. Identical concurrent requests in this
 * process share one settlement and one response.
 */
export class Settler {
  readonly #deps: SettlerDeps
  readonly #inProgress = new Map<string, Promise<SettleResult>>()

  constructor(deps: SettleDeps) {
    const uncertain = new UncertainClaims(deps)
    this.#deps = { ...deps, landed: new LandedSettlements(deps), uncertain }
  }

  async settle(
    network: ServedNetwork,
    request: PaymentRequest,
    caller: string,
  ): Promise<SettleResult> {
    const checked = network.stages.run('check', () =>
      checkPayment(request, network.policy, 'settle'),
    )
    if (!checked.ok) {
      const { refusal } = checked
      return { response: notSettled(subjectOf(request, refusal.payer), refusal) }
    }
    const { payment } = checked
    const { payer, nonce } = payment
    const key = { network: network.id, payer, nonce }
    addToLogScope({ settlement: settlementId(key) })
    const fingerprint = fingerprintOf(request)
    const shared = this.#inProgress.get(fingerprint)
    // A request that joins a settlement in progress did not start one.
    if (shared !== undefined) {
      const { started: _, ...joined } = await shared
      return { ...joined, key }
    }

    const settling = settleChecked(this.#deps, {
      network,
      payment,
      key,
      fingerprint,
      caller,
    }).finally(() => {
      this.#inProgress.delete(fingerprint)
    })
    this.#inProgress.set(fingerprint, settling)
    return { ...(await settling), key }
  }
}

/**
 * Looks the authorization up and simulates at the same time, since there is almost never a row. When there is
 * one, the simulation's result is ignored: that of a repeat fails, because its nonce is spent. A payer that is
 * known to be paused gets no simulation, nor does a payment that cannot expect a channel in time: only
 * repeats of earlier settlements are answered.
 */
async function settleChecked(deps: SettlerDeps, request: CheckedRequest): Promise<SettleResult> {
  const { network, payment, key, fingerprint } = request
  const { payers } = network
  await deps.uncertain.release(fingerprint)
  using place = network.admission.enter()
  const isQuoted = place.isAdmitted && !payers.paused.has(key.payer)
  const quoting = isQuoted ? quotePayment(network, payment) : undefined
  quoting?.catch(() => undefined)
  const asset = payment.asset.contract
  const found = await lookUpSettlement(deps.store.db, { key, asset, pause: payers.pause })
  const { settlement, pausedForMs, hasOthers } = found
  if (settlement?.recorded) return repeated(deps, network, settlement, fingerprint)
  payers.paused.note(key.payer, pausedForMs)
  if (pausedForMs > 0) return paused(deps, request, found)
  if (!place.isAdmitted) return notAdmitted(deps, request, found)

  const quoted = await (quoting ?? quotePayment(network, payment))
  if (!quoted.ok) {
    const { authorizationUsed } = payment.scheme.rules.settle.codes
    const mayBeSettled =
      quoted.refusal.code === authorizationUsed || (settlement && settlement.attempt > 1)
    const concurrent = mayBeSettled && (await settledAfterAll(deps, network, key))
    if (concurrent) return repeated(deps, network, concurrent, fingerprint)
    return refused(payment, quoted.refusal)
  }
  if (!canSponsorPay(network, quoted.quote)) {
    return refused(payment, { code: 'settle_exact_stellar_sponsor_unavailable' })
  }
  try {
    // Awaited, so that the place lasts until the claim.
    return await claimAndSubmit(deps, request, { quote: quoted.quote, hasOthers, place })
  } catch (error) {
    // The claim or the record may be in the store all the same. What is recorded is not released.
    if (error instanceof StoreUnavailable) {
      deps.uncertain.add(network, { key, owner: deps.owner, fingerprint })
    }
    throw error
  }
}

async function paused(
  deps: SettlerDeps,
  { network, payment, fingerprint }: CheckedRequest,
  { settlement, pausedForMs }: FoundSettlement,
): Promise<SettleResult> {
  if (settlement?.state === 'claimed') return repeated(deps, network, settlement, fingerprint)
  return refused(payment, refusePaused(deps.metrics, network, payment.payer, pausedForMs))
}

/** More settlements wait for a channel than can get one in time. */
async function notAdmitted(
  deps: SettlerDeps,
  { network, payment, fingerprint }: CheckedRequest,
  { settlement }: FoundSettlement,
): Promise<SettleResult> {
  if (settlement?.state === 'claimed') return repeated(deps, network, settlement, fingerprint)
  deps.metrics.notAdmitted.inc({ network: network.id })
  network.counters.count('lease_timeout')
  return refused(payment, { code: 'settle_exact_stellar_channel_unavailable' })
}

const repeated = async (...args: Parameters<typeof answerRepeat>): Promise<SettleResult> => ({
  response: await answerRepeat(...args),
})

const refused = ({ request, payer }: Payment, why: NotSettled): SettleResult => ({
  response: notSettled(subjectOf(request, payer), why),
})

/**
 * Between the read of the store and the simulation another process may have settled this request. And the ledger
 * may have the transaction of an attempt that was refused, even if a later one was released or abandoned. Or a failover
 * of the database has lost the settlement, and this process still knows it.
 */
async function settledAfterAll(
  { store, follower }: SettleDeps,
  network: ServedNetwork,
  key: SettlementKey,
): Promise<Settlement | undefined> {
  await follower.restoreLost()
  const settlement = await findSettlement(store.db, key)
  if (!settlement || settlement.recorded) return settlement
  return claimableStates.includes(settlement.state)
    ? finishLanded(store, network.rpc, settlement)
    : undefined
}

interface QuotedRequest {
  readonly quote: Quote
  /** Whether the payer has other unfinished settlements of the asset. */
  readonly hasOthers: boolean
  readonly place: Place
}

async function claimAndSubmit(
  deps: SettlerDeps,
  request: CheckedRequest,
  quoted: QuotedRequest,
): Promise<SettleResult> {
  const { quote, hasOthers, place } = quoted
  const { owner, timings, follower, landed, metrics } = deps
  const { network, payment, key, fingerprint } = request
  const claimRequest = claimOf(deps, request, quote)
  const { symbol } = payment.asset
  const funds = { simulatedOn: quote.latestLedger, hasOthers, symbol }
  // Before the claim: until the next poll, no other request may spend the same balance.
  const fee = network.monitor.claimedFees.promise(quote.totalFee)
  const claim = await network.stages
    .run('claim', () => claimWithinFunds(landed, network, claimRequest, funds))
    .finally(fee.stored)
  place.leave()
  if (claim.kind !== 'claimed') fee.release()
  if (claim.kind === 'existing') {
    return repeated(deps, network, claim.settlement, fingerprint)
  }
  if (claim.kind === 'over_budget') {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    const message = 'the fees of the last hour leave too little of the hourly budget for this one'
    return refused(payment, { code, message })
  }
  if (claim.kind === 'over_key_share') {
    metrics.payerRefusals.inc({ network: network.id, rule: 'key_share' })
    const code = 'settle_exact_stellar_sponsor_unavailable'
    const message = "this key's share of the hourly budget has too little left for this one"
    return { ...refused(payment, { code, message }), isCallersFault: true }
  }
  if (claim.kind === 'insufficient_funds') {
    metrics.payerRefusals.inc({ network: network.id, rule: 'funds' })
    return refused(payment, { code: 'insufficient_funds', message: claim.message })
  }
  const fence = { key, owner, attempt: claim.attempt }
  const { channel } = claim
  const { metering } = claimRequest
  const claimed = { network, payment, quote, fence, fingerprint, metering, channel }
  const sent = await submitPayment(deps, claimed)
  if (sent.kind !== 'sent') fee.release()
  if (sent.kind === 'outbid') return claimWithHigherBid(deps, request, quoted, sent.feeWanted)
  const response =
    sent.kind === 'refused'
      ? sent.response
      : await follower.answerWithin(network, sent.submitted, timings.confirmWindowMs)
  return response.transaction === '' ? { response } : { response, started: key }
}

/**
 * Bids again under the same authorization. Every endpoint refused the last attempt; if its transaction lands all
 * the same, landed-after-all.ts finds it.
 */
async function claimWithHigherBid(
  deps: SettlerDeps,
  request: CheckedRequest,
  quoted: QuotedRequest,
  feeWanted: Stroops | undefined,
): Promise<SettleResult> {
  const { network, payment } = request
  const { inclusionFeeCap: cap, policy, monitor } = network
  const higher = bidAgain(quoted.quote, feeWanted, { cap, maxFee: policy.maxTxFeeStroops })
  if (!higher) {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    const message = 'the network is busy: it asks for a higher fee than this service pays'
    return refused(payment, { code, message })
  }
  monitor.outbid(higher.inclusionFee)
  if (canSponsorPay(network, higher)) {
    return claimAndSubmit(deps, request, { ...quoted, quote: higher })
  }
  return refused(payment, { code: 'settle_exact_stellar_sponsor_unavailable' })
}

const claimOf = (
  { owner, timings, serviceFee }: SettleDeps,
  { network, payment, key, fingerprint, caller }: CheckedRequest,
  quote: Quote,
): Omit<ClaimRequest, 'limitToFunds' | 'funds'> => ({
  key,
  fingerprint,
  facts: factsOf(payment),
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
