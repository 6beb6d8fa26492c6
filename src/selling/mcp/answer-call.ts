import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Clock } from '../../platform/core/time/clock.ts'
import { claimOf } from '../delivery/claim.ts'
import type { Deliveries } from '../delivery/deliveries.ts'
import { settleToVerdict } from '../delivery/settle.ts'
import { chargedUpTo } from '../upto/charge.ts'
import { deliverOnce, type MadeResult, type Outcome, type Work } from './deliver-once.ts'
import type { OfferOf, StockServer } from './offers.ts'
import { readPayment } from './read-payment.ts'
import { checkOutput, type PaidCall, type PaidTool } from './tool.ts'
import { PAYMENT, paymentRequiredResult, readContext, type ToolResult } from './transport.ts'

export interface CallDeps {
  readonly resources: StockServer
  readonly offerOf: OfferOf
  readonly deliveries: Deliveries<MadeResult, ToolResult>
  /** Of the seller, in the store. */
  readonly scope: string
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** Verifies the payment of a call, runs the tool, settles, answers; or says what the tool costs. Throws what the tool throws. */
export async function answerCall<Input>(
  { resources, offerOf, deliveries, scope, ...deps }: CallDeps,
  tool: PaidTool<Input>,
  args: Input,
  context: unknown,
): Promise<ToolResult> {
  const caller = readContext(context)
  const offer = await offerOf(tool).catch((cause: unknown) => {
    deps.onError(cause)
    throw new Error(`The price of ${tool.name} is not known now. Call again later.`, { cause })
  })
  const refuse = (error: string, receipt?: SettleResponse) =>
    paymentRequiredResult(caller, { ...offer.required, error }, receipt)

  const read = readPayment(caller.meta[PAYMENT], offer.required)
  if (read.kind === 'absent') return refuse(`Payment required to call ${tool.name}`)
  if (read.kind === 'refused') return refuse(read.reason)
  const { payment, id } = read
  const { network } = payment.accepted
  const claim = claimOf({ scope, payment, id, bought: [tool.name, args] })
  const work: Work = {
    make: async (limit) => {
      // Here, since a repeat gets its answer also after the price has changed.
      const price = resources.findMatchingRequirements(offer.required.accepts, payment)
      if (!price) return { kind: 'refused', reason: 'payment_for_other_terms' }
      return make(resources, { tool, args, payment, price }, { context, limit, ...deps })
    },
    settle: ({ price, amount }) => {
      const overrides = amount === undefined ? undefined : { amount }
      const settle = () =>
        resources.settlePayment(payment, price, offer.declared, offer.transport, overrides)
      return settleToVerdict(settle, { network, ...deps })
    },
  }
  const begun = await deliveries.begin(claim, caller.signal)
  const outcome = await deliverOnce(begun, work)
  if (outcome.kind === 'answered') return outcome.result
  return refuse(outcome.reason, outcome.receipt)
}

interface Purchase<Input> {
  readonly tool: PaidTool<Input>
  readonly args: Input
  readonly payment: PaymentPayload
  readonly price: PaymentRequirements
}

interface Making extends Pick<CallDeps, 'onError'> {
  readonly context: unknown
  /** Aborts when the tool has had its time. */
  readonly limit: AbortSignal
}

async function make<Input>(
  resources: StockServer,
  { tool, args, payment, price }: Purchase<Input>,
  { context, limit, onError }: Making,
): Promise<MadeResult | Outcome> {
  const verified = await resources.verifyPayment(payment, price).catch((error: unknown) => {
    onError(error)
    return {
      isValid: false,
      invalidReason: reasonIn(error) ?? 'facilitator_unavailable',
      payer: undefined,
    }
  })
  if (!verified.isValid) {
    return { kind: 'refused', reason: verified.invalidReason ?? 'payment_invalid' }
  }
  let amount: string | undefined
  const call: PaidCall = {
    payer: verified.payer,
    price,
    signal: AbortSignal.any([readContext(context).signal, limit]),
    context,
    charge: (used) => {
      const charged = chargedUpTo(price, used)
      amount = charged?.toString()
      return charged
    },
  }
  const result = await tool.run(args, call)
  if (!isComplete(result)) return { kind: 'answered', result }
  await checkOutput(tool.outputSchema, result)
  return { price, result, amount }
}

/** The stock client of a facilitator throws its refusals that come with another status than 200. */
const reasonIn = (error: unknown): string | undefined => {
  const { invalidReason } = Object(error)
  return typeof invalidReason === 'string' ? invalidReason : undefined
}

/** An error is not charged, nor is a question to the caller, after whose answer the SDK runs the tool again. */
const isComplete = ({ isError, resultType = 'complete' }: ToolResult) =>
  isError !== true && resultType === 'complete'
