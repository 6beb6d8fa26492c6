import { createEd25519Signer } from '@x402/stellar'
import { UptoStellarScheme } from '../../../src/buying/upto/client.ts'
import type { Wallet } from '../../../src/demo/wallets.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import type { PaymentBody } from '../payment-maker.ts'

export interface MeteredPaymentMakerOptions {
  /** Https, as for the payments in `exact`. */
  readonly rpcUrl: string
  readonly payers: readonly Wallet[]
  /** Addresses. */
  readonly sellers: readonly string[]
  /** `extra` of the kind that the facilitator names in `/supported`. */
  readonly extra: Readonly<Record<string, unknown>>
}

const MAX_TIMEOUT_SECONDS = 300
/** Base units. */
const CEILING = 1_000_000

/** Signs ceilings with our client, taking payers and sellers in turn; each settlement takes another part of one. */
export class MeteredPaymentMaker {
  readonly #options: MeteredPaymentMakerOptions
  readonly #clients: readonly UptoStellarScheme[]
  #made = 0

  constructor(options: MeteredPaymentMakerOptions) {
    this.#options = options
    this.#clients = options.payers.map(({ secret }) => {
      const signer = createEd25519Signer(secret, 'stellar:testnet')
      return new UptoStellarScheme(signer, { url: options.rpcUrl })
    })
  }

  async make(count: number): Promise<PaymentBody[]> {
    const bodies: PaymentBody[] = []
    while (bodies.length < count) bodies.push(await this.#one())
    return bodies
  }

  async #one(): Promise<PaymentBody> {
    const { sellers, extra } = this.#options
    const index = this.#made++
    const client = this.#clients[index % this.#clients.length]!
    const accepted = {
      scheme: 'upto',
      network: 'stellar:testnet',
      asset: usdcContracts['stellar:testnet'],
      payTo: sellers[index % sellers.length]!,
      amount: String(CEILING),
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
      extra,
    } as const
    const made = await client.createPaymentPayload(2, accepted)
    return {
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: { url: 'https://seller.example/metered', description: 'A metered answer' },
        accepted,
        payload: made.payload,
      },
      paymentRequirements: { ...accepted, amount: String(1 + (index % CEILING)) },
    }
  }
}
