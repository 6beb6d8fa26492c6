import type { Settlement, SettlementKey } from '../store/settlements/settlement.ts'
import { checkPayment } from '../x402/check-payment.ts'
import type { ExactPayment } from '../x402/payment.ts'
import type { PaymentRequest, SettleResponse } from '../x402/protocol.ts'
import { notSettled, subjectOf } from './answers.ts'
import { examine, type Prospect } from './examine.ts'
import { type ExecutionTools, execute } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { answerRepeat, awaitEnd, type RepeatTools } from './repeat.ts'
import type { ServedNetwork } from './served-network.ts'

export interface SettleTools extends ExecutionTools, RepeatTools {
  /** Names this process among the claims; no two processes share one. */
  readonly owner: string
}

interface Order {
  readonly network: ServedNetwork
  readonly payment: ExactPayment
  readonly key: SettlementKey
  readonly fingerprint: string
}

/**
 * Settles payments, each authorization once. Self-sufficient: never needs an earlier verify.
 * Identical requests that meet in this process share one settlement and one answer.
 */
export class Settler {
  readonly #tools: SettleTools
  readonly #underWay = new Map<string, Promise<SettleResponse>>()

  constructor(tools: SettleTools) {
    this.#tools = tools
  }

  async settle(network: ServedNetwork, request: PaymentRequest): Promise<SettleResponse> {
    const checked = checkPayment(request, network.policy)
    if (!checked.ok) {
      return notSettled(subjectOf(request, checked.refusal.payer), checked.refusal)
    }
    const { payment } = checked
    const fingerprint = fingerprintOf(request)
    const shared = this.#underWay.get(fingerprint)
    if (shared !== undefined) return shared

    const { address, nonce } = payment.authorization
    const key = { network: network.id, payer: address, nonce: nonce.toString() }
    const answer = settleOrder(this.#tools, { network, payment, key, fingerprint }).finally(() => {
      this.#underWay.delete(fingerprint)
    })
    this.#underWay.set(fingerprint, answer)
    return answer
  }
}

/**
 * The look-up comes before the simulation's verdict, since a spent nonce would fail a repeat, but
 * runs beside it, since it almost always finds nothing.
 */
async function settleOrder(tools: SettleTools, order: Order): Promise<SettleResponse> {
  const { network, payment, key, fingerprint } = order
  const examining = examine(network, payment)
  examining.catch(() => undefined)
  const existing = await tools.store.settlements.find(key)
  if (existing?.recorded) return answerRepeat(tools, network, existing, fingerprint)

  const examined = await examining
  if (!examined.ok) {
    const landed = await settledMeanwhile(tools, key, examined.refusal.code)
    if (landed) return answerRepeat(tools, network, landed, fingerprint)
    return notSettled(subjectOf(payment.request, payment.payer), examined.refusal)
  }
  const balance = network.monitor.sponsorBalance
  if (balance === undefined || balance < network.sponsorReserve) {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    return notSettled(subjectOf(payment.request, payment.payer), { code })
  }
  return claimAndExecute(tools, order, examined.prospect)
}

/** Between the look-up and the simulation another process may have settled this very request. */
async function settledMeanwhile(
  { store }: SettleTools,
  key: SettlementKey,
  code: string,
): Promise<Settlement | undefined> {
  if (code !== 'invalid_exact_stellar_payload_nonce_already_used') return undefined
  const settlement = await store.settlements.find(key)
  return settlement?.recorded && settlement
}

async function claimAndExecute(
  tools: SettleTools,
  { network, payment, key, fingerprint }: Order,
  prospect: Prospect,
): Promise<SettleResponse> {
  const { store, owner, timings } = tools
  const claim = await store.settlements.claimWithChannel({
    key,
    fingerprint,
    facts: {
      scheme: payment.request.paymentRequirements.scheme,
      asset: payment.asset.contract,
      payTo: payment.payTo,
      amount: payment.amount,
      resourceUrl: payment.request.paymentPayload.resource?.url,
    },
    sponsor: network.sponsor.address,
    owner,
    claimTtlMs: timings.claimTtlMs,
    leaseTtlMs: timings.leaseTtlMs,
    budget: { fee: prospect.totalFee, hourly: network.hourlyBudget },
  })
  if (claim.kind === 'existing') {
    return answerRepeat(tools, network, claim.settlement, fingerprint)
  }
  if (claim.kind === 'over_budget') {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    const message = 'the fees of the last hour leave no room in the budget for this one'
    return notSettled(subjectOf(payment.request, payment.payer), { code, message })
  }
  const fence = { key, owner, attempt: claim.attempt }
  const { channel } = claim
  const sent = await execute(tools, { network, payment, prospect, fence, channel })
  if (sent.kind === 'refused') return sent.response
  return awaitEnd(tools, network, sent.submitted, timings.confirmWindowMs)
}
