/** A stock buyer, who repeats the request with the same signature until the answer is final. */
import { setTimeout as sleep } from 'node:timers/promises'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { messageOf } from './facilitator-requests.ts'
import { type FacilitatorRequest, isRefused, type PaymentRecord } from './records.ts'
import type { StockPackages } from './stock-packages.ts'

const usdc = usdcContracts['stellar:testnet']
const SIGNATURE = 'PAYMENT-SIGNATURE'
const PAUSE_MS = 1_000
/** From the first answer on; longer than an authorization is held by one replica that is gone. */
const FINAL_WITHIN_MS = 100_000

export interface Purchase {
  readonly url: string
  readonly secret: string
  readonly rpcUrl: string
  /** Resolves when the signed request may go out. */
  readonly turn: () => Promise<void>
  /** The seller's requests for this payment, as they become known. */
  readonly requests: readonly FacilitatorRequest[]
}

export async function buy(
  { fetch: x402, stellar, stellarClient }: StockPackages,
  { url, secret, rpcUrl, turn, requests }: Purchase,
): Promise<Pick<PaymentRecord, 'isSigned' | 'seen' | 'isFinal'>> {
  const signer = stellar.createEd25519Signer(secret, 'stellar:testnet')
  // The newest line pays in default assets only, and @x402/stellar 2.9.0 does not name its own.
  const scheme = Object.assign(new stellarClient.ExactStellarScheme(signer, { url: rpcUrl }), {
    findDefaultAsset: (asset = '') =>
      asset === usdc ? { asset, symbol: 'USDC', decimals: 7 } : undefined,
  })
  const client = new x402.x402Client().register('stellar:testnet', scheme)
  client.onAfterPaymentCreation(turn)
  const seen: string[] = []
  let signature: string | null = null
  const send = async (request: Request): Promise<Response> => {
    signature = request.headers.get(SIGNATURE)
    return fetch(request)
  }
  const note = async (answer: () => Promise<Response>): Promise<boolean> => {
    try {
      const { status } = await answer()
      seen.push(String(status))
      return status === 200 || isRefused(requests.at(-1))
    } catch (error) {
      seen.push(messageOf(error))
      return false
    }
  }
  let isFinal = await note(() => x402.wrapFetchWithPayment(send as typeof fetch, client)(url))
  if (signature === null) return { isSigned: false, seen, isFinal: false }
  const headers = { [SIGNATURE]: signature }
  const deadline = performance.now() + FINAL_WITHIN_MS
  while (!isFinal && performance.now() < deadline) {
    await sleep(PAUSE_MS)
    isFinal = await note(() => fetch(url, { headers }))
  }
  return { isSigned: true, seen, isFinal }
}
