import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { Wallet } from '../../src/demo/wallets.ts'
import { usdcContracts } from '../../src/platform/core/caip2.ts'

/** Request body of `/verify` and `/settle`. */
export interface PaymentBody {
  readonly x402Version: number
  readonly paymentPayload: object
  readonly paymentRequirements: object
}

export interface PaymentMakerOptions {
  /** Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  readonly payers: readonly Wallet[]
  /** Addresses. */
  readonly sellers: readonly string[]
  /** Validity of the payer's signature. @default the required time */
  readonly signedForSeconds?: number
}

/**
 * The longest that both facilitators accept. Without Horizon the stock client assumes 5 s per ledger, so on
 * ledgers of 1 s a payment expires after 60 s: sign shortly before use.
 */
const MAX_TIMEOUT_SECONDS = 300
/** Base units. Each payment has a different amount, which identifies it on the ledger. */
const MIN_AMOUNT = 1_000
/** Payments created in parallel. */
const CONCURRENCY = 4

/** Creates payments with the stock client, taking payers and sellers in turn. */
export class PaymentMaker {
  readonly #payers: readonly { readonly address: string; readonly scheme: ExactStellarScheme }[]
  readonly #sellers: readonly string[]
  readonly #signedForSeconds: number
  #made = 0

  constructor({ rpcUrl, payers, sellers, signedForSeconds }: PaymentMakerOptions) {
    this.#sellers = sellers
    this.#signedForSeconds = signedForSeconds ?? MAX_TIMEOUT_SECONDS
    this.#payers = payers.map(({ address, secret }) => {
      const signer = createEd25519Signer(secret, 'stellar:testnet')
      return { address, scheme: new ExactStellarScheme(signer, { url: rpcUrl }) }
    })
  }

  async make(count: number): Promise<PaymentBody[]> {
    const bodies: PaymentBody[] = []
    let left = count
    const worker = async () => {
      while (left-- > 0) bodies.push(await this.#one())
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    return bodies
  }

  async #one(): Promise<PaymentBody> {
    const index = this.#made++
    const payer = this.#payers[index % this.#payers.length]!
    const requirements = {
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: usdcContracts['stellar:testnet'],
      payTo: this.#sellers[index % this.#sellers.length]!,
      amount: String(MIN_AMOUNT + index),
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
      extra: { areFeesSponsored: true },
    } as const
    const terms = { ...requirements, maxTimeoutSeconds: this.#signedForSeconds }
    const sign = () => payer.scheme.createPaymentPayload(2, terms)
    // Its HTTP library may reuse an idle connection that the server is closing.
    const made = await sign().catch(sign)
    return {
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: { url: 'https://seller.example/report', description: 'A report' },
        accepted: requirements,
        payload: made.payload,
      },
      paymentRequirements: requirements,
    }
  }
}
