import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { NetworkId } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import { DemoFailure } from './demo-failure.ts'
import { readServerTiming } from './server-timing.ts'

export interface BuyerOptions {
  readonly secret: string
  readonly network: NetworkId
  /** Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** `answer` is everything after the settlement. */
export type StepName = '402' | 'sign' | 'verify' | 'settle' | 'answer'

/** One step of a paid call and its duration. */
interface CallStep {
  readonly name: StepName
  readonly ms: number
}

/** The result of a paid call, as the buyer sees it. */
export interface PaidCall {
  readonly url: string
  readonly body: string
  readonly payer: string
  readonly accepted: PaymentRequirements
  readonly settlement: SettleResponse
  /** In the order in which they happen. */
  readonly stages: readonly CallStep[]
}

/**
 * Calls a paid URL with the stock client and pays the price. Throws DemoFailure unless the answer is
 * a success that was paid for.
 */
export async function payFor(url: string, options: BuyerOptions): Promise<PaidCall> {
  const { secret, network, rpcUrl, clock, signal } = options
  const signer = createEd25519Signer(secret, network)
  const moments = new Map<string, number>()
  const mark = (moment: string) => moments.set(moment, clock.now())
  let accepted: PaymentRequirements | undefined

  const client = new x402Client()
    .register(network, new ExactStellarScheme(signer, { url: rpcUrl }))
    .onBeforePaymentCreation(async ({ selectedRequirements }) => {
      accepted = selectedRequirements
      mark('priced')
    })
    .onAfterPaymentCreation(async () => {
      mark('signed')
    })

  mark('called')
  const response = await wrapFetchWithPayment(fetch, client)(url, signal ? { signal } : {})
  const body = await response.text()
  mark('answered')

  const settlement = settlementOf(response)
  if (!response.ok || !accepted || !settlement?.success) throw refusal(url, response, settlement)
  const stages = stagesOf(moments, readServerTiming(response.headers.get('server-timing')))
  return { url, body, payer: signer.address, accepted, settlement, stages }
}

function settlementOf(response: Response): SettleResponse | undefined {
  const header = response.headers.get('payment-response')
  return header === null ? undefined : decodePaymentResponseHeader(header)
}

function refusal(url: string, response: Response, settlement: SettleResponse | undefined): Error {
  const required = response.headers.get('payment-required')
  const reason =
    settlement?.errorMessage ??
    settlement?.errorReason ??
    (required === null ? undefined : decodePaymentRequiredHeader(required).error)
  if (response.ok) return new DemoFailure(`${url} answered without asking for a payment`)
  return new DemoFailure(`${url} answered ${response.status}${reason ? `: ${reason}` : ''}`)
}

/** Time that the seller does not report counts as part of the answer. */
function stagesOf(
  moments: ReadonlyMap<string, number>,
  byServer: ReadonlyMap<string, number>,
): CallStep[] {
  const between = (from: string, to: string) => (moments.get(to) ?? 0) - (moments.get(from) ?? 0)
  const verify = byServer.get('verify') ?? 0
  const settle = byServer.get('settle') ?? 0
  return [
    { name: '402', ms: between('called', 'priced') },
    { name: 'sign', ms: between('priced', 'signed') },
    { name: 'verify', ms: verify },
    { name: 'settle', ms: settle },
    { name: 'answer', ms: Math.max(0, between('signed', 'answered') - verify - settle) },
  ]
}
