import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { NetworkId } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import { RefusedOffer, UPTO_SCHEME, UptoStellarScheme } from '../upto/client.ts'
import { readAnswer, settlementOf } from './paid-answer.ts'
import { PayFailure } from './pay-failure.ts'
import { ceilings, tooExpensive } from './price-limit.ts'
import { readServerTiming } from './server-timing.ts'
import { unpaidFailure, unsentFailure } from './unpaid-answer.ts'
import { whyNotSigned } from './why-not-signed.ts'

export interface BuyerOptions {
  readonly secret: string
  readonly network: NetworkId
  /** Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  readonly clock: Clock
  readonly call?: CallOptions
  readonly signal?: AbortSignal
}

export interface CallOptions {
  /** @default GET */
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
  /**
   * The most to pay, in base units of USDC; any other token is then refused.
   * @default no limit for a price, 1 USDC for a ceiling
   */
  readonly maxAmount?: bigint
}

/** `answer` is everything after the settlement. */
export type StepName = '402' | 'sign' | 'verify' | 'settle' | 'answer'

/** One step of a paid call and its duration. */
interface CallStep {
  readonly name: StepName
  readonly ms: number
}

export interface Metered {
  /** What the buyer signed. */
  readonly ceiling: bigint
  /** What the seller had settled, as its facilitator says; null where it does not. */
  readonly used: bigint | null
}

/** The result of a paid call, as the buyer sees it. */
export interface PaidCall {
  readonly url: string
  readonly method: string
  readonly status: number
  readonly body: string
  readonly payer: string
  readonly accepted: PaymentRequirements
  readonly settlement: SettleResponse
  /** Of the scheme `upto`, in base units. */
  readonly metered?: Metered
  /** In the order in which they happen. */
  readonly stages: readonly CallStep[]
}

/**
 * Calls a paid URL with the stock client and pays the price. Throws PayFailure unless the answer is
 * a success that was paid for. Follows no redirect: the payment would go to a server that the caller did not name.
 */
export async function payFor(url: string, options: BuyerOptions): Promise<PaidCall> {
  const { secret, network, rpcUrl, clock, call = {}, signal } = options
  const { method = 'GET', headers, body, maxAmount } = call
  const signer = createEd25519Signer(secret, network)
  const moments = new Map<string, number>()
  const mark = (moment: string) => moments.set(moment, clock.now())
  let accepted: PaymentRequirements | undefined
  /** The stock client keeps only the messages of errors. */
  let failure: PayFailure | undefined
  let price: Response | undefined

  const upto = new UptoStellarScheme(signer, {
    url: rpcUrl,
    maxAmounts: ceilings(network, maxAmount),
  })
  const client = new x402Client()
    .register(network, new ExactStellarScheme(signer, { url: rpcUrl }))
    .register(network, upto)
    .onBeforePaymentCreation(async ({ selectedRequirements }) => {
      accepted = selectedRequirements
      mark('priced')
      failure = tooExpensive(selectedRequirements, network, maxAmount)
      return failure && { abort: true as const, reason: failure.message }
    })
    .onPaymentCreationFailure(async ({ error }) => {
      if (error instanceof RefusedOffer) failure = refusedTerms(url, error)
    })
    .onAfterPaymentCreation(async () => {
      mark('signed')
    })

  const send = async (request: string | URL | Request): Promise<Response> => {
    try {
      const response = await fetch(request)
      if (!moments.has('signed')) price = response.clone()
      return response
    } catch (error) {
      signal?.throwIfAborted()
      failure = unsentFailure(url, error, moments.has('signed') ? signer.address : undefined)
      throw failure
    }
  }

  mark('called')
  let response: Response
  try {
    response = await wrapFetchWithPayment(send, client)(url, {
      method,
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
      redirect: 'manual',
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (failure) throw failure
    if (!accepted) throw await unpaidFailure(url, network, price, error)
    throw await whyNotSigned(error, { rpcUrl, network, payer: signer.address, accepted, clock })
  }
  if (!accepted || !moments.has('signed')) throw await unpaidFailure(url, network, response)
  const answer = await readAnswer(url, response, signer.address)
  mark('answered')

  const settlement = settlementOf(url, response, signer.address)
  const stages = stagesOf(moments, readServerTiming(response.headers.get('server-timing')))
  const { status } = response
  const metered = meteredOf(accepted, settlement)
  return {
    url,
    method,
    status,
    body: answer,
    payer: signer.address,
    accepted,
    settlement,
    ...(metered && { metered }),
    stages,
  }
}

const refusedTerms = (url: string, { says }: RefusedOffer): PayFailure =>
  new PayFailure(
    'not_payable',
    `${url} offers terms that this client refuses: ${lowerFirst(says)}`,
    {
      hint: 'Nothing was paid.',
    },
  )

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

/** The paid call that `svc pay --json` printed, where amounts are strings. */
export function readPaidCall(printed: string): PaidCall {
  const call: PaidCall = JSON.parse(printed)
  const metered = meteredOf(call.accepted, call.settlement)
  return { ...call, ...(metered && { metered }) }
}

function meteredOf(
  { scheme, amount }: PaymentRequirements,
  { amount: used }: SettleResponse,
): Metered | undefined {
  if (scheme !== UPTO_SCHEME) return undefined
  return {
    ceiling: BigInt(amount),
    used: used !== undefined && /^\d+$/.test(used) ? BigInt(used) : null,
  }
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
