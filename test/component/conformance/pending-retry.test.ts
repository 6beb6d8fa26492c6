import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core-next/server'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core-next/types'
import { describe, expect, it } from 'vitest'
import { startStack } from '../../support/stack.ts'
import {
  accountWithUsdc,
  payloadFor,
  priceFor,
  reach,
  stockClient,
} from '../../support/stock/stock-client.ts'

/** The stock facilitator client, with a record of its requests and answers. */
class WatchedClient extends HTTPFacilitatorClient {
  readonly answers: SettleResponse[] = []
  readonly #beforeSecond: () => void

  constructor(url: string, beforeSecond: () => void) {
    super({ url })
    this.#beforeSecond = beforeSecond
  }

  override async settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
  ): Promise<SettleResponse> {
    if (this.answers.length === 1) this.#beforeSecond()
    const answer = await super.settle(payload, requirements)
    this.answers.push(answer)
    return answer
  }
}

describe('the stock 2.27.0 resource server, while a ledger is late', () => {
  it('settles once more with the same body after settlement_pending, and gets the first transaction', async () => {
    await using stack = await startStack({
      closeEveryMs: 'on-send',
      tls: true,
      timings: { confirmWindowMs: 100 },
    })
    reach(stack.localnet)
    const price = priceFor((await accountWithUsdc(stack.localnet)).address)
    const buyer = await accountWithUsdc(stack.localnet)
    const payload = await payloadFor(stockClient(stack.localnet, buyer), price)
    stack.hold(true)
    const client = new WatchedClient(stack.baseUrl, () => {
      stack.hold(false)
      void stack.localnet.closeLedger()
    })

    const settled = await new x402ResourceServer(client).settlePayment(payload, price)

    const [pending, final] = client.answers
    expect(client.answers).toHaveLength(2)
    expect(pending).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(final).toEqual({
      success: true,
      transaction: pending?.transaction,
      network: 'stellar:testnet',
      payer: buyer.address,
    })
    expect(settled).toMatchObject({ success: true, transaction: pending?.transaction })
  })
})
