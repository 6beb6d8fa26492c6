import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ledgerReader } from '../../../src/demo/observe/ledger-reader.ts'
import { PAID_PATH, paidApi } from '../../../src/demo/seller/seller.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { type Stack, startStack, unit } from '../../support/stack.ts'
import {
  type Account,
  accountWithUsdc,
  reach,
  stockClient,
} from '../../support/stock/stock-client.ts'

describe('the stock 2.9.0 client, Express middleware and facilitator client, together', () => {
  const opened = new AsyncDisposableStack()
  let stack: Stack
  let seller: Account
  let url: string

  beforeAll(async () => {
    stack = opened.use(
      await startStack({
        upto: true,
        closeEveryMs: 'on-send',
        tls: true,
        timings: { confirmWindowMs: 3_000 },
        // Payments over the store in memory; other tests pay over Postgres.
        store: { kind: 'memory' },
      }),
    )
    reach(stack.localnet)
    seller = await accountWithUsdc(stack.localnet)
    url = await serve()
  })
  afterAll(() => opened.disposeAsync())

  /** The URL of the paid call at a server of the seller's, which knows nothing of other servers. */
  async function serve(): Promise<string> {
    const app = paidApi({
      facilitatorUrl: stack.baseUrl,
      network: 'stellar:testnet',
      payTo: seller.address,
      clock: systemClock,
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    opened.defer(() => void server.close().closeAllConnections())
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PAID_PATH}`
  }

  const balanceOf = (address: string) =>
    ledgerReader(stack.localnet.httpUrl, passphrases['stellar:testnet']).usdc(address)

  it('answers 402 with a price that the facilitator supports', async () => {
    const response = await fetch(url)
    expect(response.status).toBe(402)
    const required = decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '')
    expect(required).toMatchObject({
      x402Version: 2,
      accepts: [
        {
          scheme: 'exact',
          network: 'stellar:testnet',
          amount: '100000',
          payTo: seller.address,
          extra: { areFeesSponsored: true },
        },
      ],
    })
  })

  it('pays, gets the answer, and moves exactly the price', async () => {
    const buyer = await accountWithUsdc(stack.localnet)
    const before = await balanceOf(seller.address)

    const response = await wrapFetchWithPayment(fetch, stockClient(stack.localnet, buyer))(url)

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ weather: 'sunny', temperature: 21 })
    const settlement = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
    expect(settlement).toEqual({
      success: true,
      transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      network: 'stellar:testnet',
      payer: buyer.address,
    })
    expect(stack.localnet.network.transaction(settlement.transaction)).toMatchObject({
      feeBump: true,
      successful: true,
    })
    expect(await balanceOf(seller.address)).toBe(before + 100_000n)
    expect(await balanceOf(buyer.address)).toBe(unit - 100_000n)
  })

  it('pays nothing for the same payment header a second time, and another server refuses it', async () => {
    const buyer = await accountWithUsdc(stack.localnet)
    const sent: Request[] = []
    const remember: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return fetch(request)
    }
    const paid = await wrapFetchWithPayment(remember, stockClient(stack.localnet, buyer))(url)
    expect(paid.status).toBe(200)
    const [again, other] = [sent.at(-1)!.clone(), new Request(await serve(), sent.at(-1)!)]

    const answered = await fetch(again)
    const replayed = await fetch(other)

    expect(answered.status).toBe(200)
    expect(answered.headers.get('payment-response')).toBe(paid.headers.get('payment-response'))
    expect(replayed.status).toBe(402)
    const required = decodePaymentRequiredHeader(replayed.headers.get('payment-required') ?? '')
    expect(required.error).toBe('invalid_exact_stellar_payload_nonce_already_used')
    expect(await balanceOf(buyer.address)).toBe(unit - 100_000n)
  })

  it('withholds the answer while no ledger closes, and gives the buyer the transaction', async () => {
    const buyer = await accountWithUsdc(stack.localnet)
    stack.hold(true)
    try {
      const response = await wrapFetchWithPayment(fetch, stockClient(stack.localnet, buyer))(url)
      expect(response.status).toBe(402)
      expect(await response.json()).toEqual({})
      const settlement = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      expect(settlement).toMatchObject({
        success: false,
        errorReason: 'settlement_pending',
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
    } finally {
      stack.hold(false)
      await stack.localnet.closeLedger()
    }
  })
})
