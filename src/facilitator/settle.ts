import type { UsdUnits } from '../core/usd.ts'
import { type ClaimRequest, claimWithChannel } from '../store/settlements/claim-with-channel.ts'
import { findSettlement } from '../store/settlements/find.ts'
import {
  type Settlement,
  type SettlementKey,
  settlementId,
} from '../store/settlements/settlement.ts'
import { noteInLogScope } from '../telemetry/log-scope.ts'
import { checkPayment } from '../x402/check-payment.ts'
import type { ExactPayment } from '../x402/payment.ts'
import type { PaymentRequest } from '../x402/protocol.ts'
import { type NotSettled, notSettled, subjectOf } from './answers.ts'
import { examine, type Prospect } from './examine.ts'
import { type ExecutionTools, execute } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { answerRepeat, awaitEnd, type RepeatTools } from './repeat.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Settled } from './usage/outcome.ts'

export interface SettleTools extends ExecutionTools, RepeatTools {
  /** Names this process among the claims; no two processes share one. */
  readonly owner: string
  /** What a successful settlement accrues for its caller. */
  readonly serviceFee: UsdUnits
}

interface Order {
  readonly network: ServedNetwork
  readonly payment: ExactPayment
  readonly key: SettlementKey
  readonly fingerprint: string
  /** In whose usage it is counted. */
  readonly caller: string
}

/**
 * Settles payments, each authorization once. Self-sufficient: never needs an earlier verify.
 * Identical requests that meet in this process share one settlement and one answer.
 */
export class Settler {
  readonly #tools: SettleTools
  readonly #underWay = new Map<string, Promise<Settled>>()

  constructor(tools: SettleTools) {
    this.#tools = tools
  }

  async settle(network: ServedNetwork, request: PaymentRequest, caller: string): Promise<Settled> {
    const checked = network.stages.run('check', () => checkPayment(request, network.policy))
    if (!checked.ok) {
      const { refusal } = checked
      return { response: notSettled(subjectOf(request, refusal.payer), refusal) }
    }
    const { payment } = checked
    const { address, nonce } = payment.authorization
    const key = { network: network.id, payer: address, nonce: nonce.toString() }
    noteInLogScope({ settlement: settlementId(key) })
    const fingerprint = fingerprintOf(request)
    const shared = this.#underWay.get(fingerprint)
    // Whoever meets a settlement under way has begun none.
    if (shared !== undefined) return { response: (await shared).response }

    const order = { network, payment, key, fingerprint, caller }
    const settled = settleOrder(this.#tools, order).finally(() => {
      this.#underWay.delete(fingerprint)
    })
    this.#underWay.set(fingerprint, settled)
    return settled
  }
}

/**
 * The look-up comes before the simulation's verdict, since a spent nonce would fail a repeat, but
 * runs beside it, since it almost always finds nothing.
 */
async function settleOrder(tools: SettleTools, order: Order): Promise<Settled> {
  const { network, payment, key, fingerprint } = order
  const examining = examine(network, payment)
  examining.catch(() => undefined)
  const existing = await findSettlement(tools.store.db, key)
  if (existing?.recorded) return repeated(tools, network, existing, fingerprint)

  const examined = await examining
  if (!examined.ok) {
    const landed = await settledMeanwhile(tools, key, examined.refusal.code)
    if (landed) return repeated(tools, network, landed, fingerprint)
    return refused(payment, examined.refusal)
  }
  const balance = network.monitor.sponsorBalance
  if (balance === undefined || balance < network.sponsorReserve) {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    return refused(payment, { code })
  }
  return claimAndExecute(tools, order, examined.prospect)
}

const repeated = async (...asked: Parameters<typeof answerRepeat>): Promise<Settled> => ({
  response: await answerRepeat(...asked),
})

const refused = ({ request, payer }: ExactPayment, why: NotSettled): Settled => ({
  response: notSettled(subjectOf(request, payer), why),
})

/** Between the look-up and the simulation another process may have settled this very request. */
async function settledMeanwhile(
  { store }: SettleTools,
  key: SettlementKey,
  code: string,
): Promise<Settlement | undefined> {
  if (code !== 'invalid_exact_stellar_payload_nonce_already_used') return undefined
  const settlement = await findSettlement(store.db, key)
  return settlement?.recorded && settlement
}

async function claimAndExecute(
  tools: SettleTools,
  order: Order,
  prospect: Prospect,
): Promise<Settled> {
  const { store, owner, timings } = tools
  const { network, payment, key, fingerprint } = order
  const request = claimOf(tools, order, prospect)
  const claiming = () => claimWithChannel(store.db, request)
  const claim = await network.stages.run('claim', claiming)
  if (claim.kind === 'existing') {
    return repeated(tools, network, claim.settlement, fingerprint)
  }
  if (claim.kind === 'over_budget') {
    const code = 'settle_exact_stellar_sponsor_unavailable'
    const message = 'the fees of the last hour leave no room in the budget for this one'
    return refused(payment, { code, message })
  }
  const fence = { key, owner, attempt: claim.attempt }
  const { channel } = claim
  const sent = await execute(tools, { network, payment, prospect, fence, channel })
  const response =
    sent.kind === 'refused'
      ? sent.response
      : await awaitEnd(tools, network, sent.submitted, timings.confirmWindowMs)
  return response.transaction === '' ? { response } : { response, began: key }
}

const claimOf = (
  { owner, timings, serviceFee }: SettleTools,
  { network, payment, key, fingerprint, caller }: Order,
  prospect: Prospect,
): ClaimRequest => ({
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
  metering: { caller, serviceFee },
})
