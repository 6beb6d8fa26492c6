/** The metered path of the sample API, which a stock client pays on the embedded network. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pay as payQuote } from '../../../../src/buying/pay/pay.ts'
import { callTimer } from '../../../../src/buying/pay/timed-call.ts'
import { quote } from '../../../../src/buying/quote/quote.ts'
import { sellerHttp } from '../../../../src/buying/seller/seller-http.ts'
import { walletOf } from '../../../../src/buying/sign/sign-payment.ts'
import { ledgerReader } from '../../../../src/demo/observe/ledger-reader.ts'
import { METERED_PATH } from '../../../../src/demo/seller/metered-route.ts'
import { paidApi } from '../../../../src/demo/seller/seller.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openWallet, type Wallet } from '../../../support/payments.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import { reach } from '../../../support/stock/stock-client.ts'

const network = 'stellar:testnet'
let stack: Stack
let server: Server
let url: string
let buyer: Wallet
let seller: Wallet

beforeAll(async () => {
  stack = await startStack({ tls: true, upto: true, closeEveryMs: 'on-send' })
  reach(stack.localnet)
  buyer = await openWallet(stack.localnet)
  seller = await openWallet(stack.localnet)
  const api = paidApi({
    facilitatorUrl: stack.baseUrl,
    network,
    payTo: seller.address,
    clock: systemClock,
  })
  server = api.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${METERED_PATH}`
})

afterAll(async () => {
  server?.close()
  await stack?.[Symbol.asyncDispose]()
})

async function pay(query: string, maxAmount = 10_000_000n) {
  await using http = sellerHttp()
  const asked = await quote(http, { url: url + query }, { network })
  const wallet = walletOf(buyer.key.secret(), network, stack.localnet.rpcUrl)
  const { onStep, callOf } = callTimer(systemClock)
  const options = { http, clock: systemClock, onStep }
  return callOf(await payQuote(asked, { maxAmount }, wallet, options))
}

/** In base units of USDC. */
async function received(work: () => Promise<unknown>): Promise<bigint> {
  const ledger = ledgerReader(stack.localnet.httpUrl, stack.localnet.network.passphrase)
  const before = await ledger.usdc(seller.address)
  await work()
  return (await ledger.usdc(seller.address)) - before
}

it('charges the length of the answer', async () => {
  const paid = await received(async () => {
    const { body, metered } = await pay('')
    expect(body).toBe('{"forecast":["sunny 21","cloudy 20","rainy 19"]}')
    expect(metered?.ceiling).toBe(200_000n)
  })
  expect(paid).toBe(48_000n)
})

it('charges the ceiling for an answer that uses more', async () => {
  const paid = await received(async () => {
    const { body, metered } = await pay('?days=30')
    expect(body.length).toBeGreaterThan(200)
    expect(metered?.ceiling).toBe(200_000n)
  })
  expect(paid).toBe(200_000n)
})

it.each(['?days=31', '?days=0', '?days=many'])(
  'charges nothing for a call that it refuses: %s',
  async (query) => {
    const paid = await received(async () => {
      await expect(pay(query)).rejects.toThrow('answered 400')
    })
    expect(paid).toBe(0n)
  },
)

it('gets no payment from a buyer with a lower limit than the ceiling', async () => {
  const paid = await received(async () => {
    await expect(pay('', 199_999n)).rejects.toThrow(/0\.02 USDC/)
  })
  expect(paid).toBe(0n)
})
