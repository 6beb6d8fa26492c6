import type { PaymentRequirements } from '@x402/core/types'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { type Account, accountWithUsdc, payloadFor, priceFor, stockClient } from './stock-client.ts'

/** The body that the stock facilitator client sends, and its payer. */
export interface StockRequest {
  readonly payer: Account
  readonly seller: Account
  readonly body: {
    readonly x402Version: number
    readonly paymentPayload: object
    readonly paymentRequirements: PaymentRequirements
  }
}

/** A valid payment of a new payer to a new seller, signed by the stock client. */
export async function stockRequest(
  localnet: LocalnetServer,
  changes: Partial<PaymentRequirements> = {},
): Promise<StockRequest> {
  const [payer, seller] = await Promise.all([accountWithUsdc(localnet), accountWithUsdc(localnet)])
  const price = priceFor(seller.address, changes)
  const paymentPayload = await payloadFor(stockClient(localnet, payer), price)
  return { payer, seller, body: { x402Version: 2, paymentPayload, paymentRequirements: price } }
}
