import type { PaymentPayload } from '@x402/core/types'
import { paymentKey } from '../claim.ts'
import type { SettlingServer } from './options.ts'

type Settle = SettlingServer['settlePayment']
export type Settlement = Parameters<Settle>

/** Is told of a settlement before it begins; nothing is settled when this throws. */
type BeforeSettlement = (settlement: Settlement) => Promise<void>

/** The settlements of a stock server, each of which waits until what it pays for is stored. */
export class Settlements {
  /** Settles at once. */
  readonly settle: Settle
  /** By the key of the payment. */
  readonly #before = new Map<string, BeforeSettlement>()

  constructor(resources: SettlingServer) {
    const settle = resources.settlePayment.bind(resources)
    this.settle = settle
    resources.settlePayment = async (...settlement) => {
      await this.#before.get(paymentKey(settlement[0]))?.(settlement)
      return settle(...settlement)
    }
  }

  /** Returns the function that ends this. */
  watch(payment: PaymentPayload, before: BeforeSettlement): () => void {
    const key = paymentKey(payment)
    this.#before.set(key, before)
    return () => {
      if (this.#before.get(key) === before) this.#before.delete(key)
    }
  }
}
