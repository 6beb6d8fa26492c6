import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Keypair } from '@stellar/stellar-sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../../src/buying/budget/open-payments.ts'
import { createMcpServer } from '../../../../../src/buying/mcp/create-server.ts'
import { httpFacts } from '../../../../../src/buying/mcp/facts/http-facts.ts'
import { listPayments } from '../../../../../src/buying/mcp/payment/list-payments.ts'
import { payAndCall } from '../../../../../src/buying/mcp/payment/pay-and-call.ts'
import { sellerHttp } from '../../../../../src/buying/seller/seller-http.ts'
import { walletOf } from '../../../../../src/buying/sign/sign-payment.ts'
import { usdcContracts } from '../../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { signed } from '../../budget/signed-payment.ts'

/* What ends a call before anything is signed; the Stellar RPC of the wallet does not exist. */

const network = 'stellar:testnet'
let opened = new AsyncDisposableStack()
afterEach(async () => {
  await opened.disposeAsync()
  opened = new AsyncDisposableStack()
})

/** A client of a wallet with this budget in base units, and a seller with this price. */
async function world({ limit, amount }: { readonly limit: bigint; readonly amount: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pay-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const budget = opened.use(
    new Budget({ file: join(folder, 'b.sqlite'), limit, clock: systemClock }),
  )
  const http = opened.use(sellerHttp({ reach: 'loopback_too' }))
  const wallet = walletOf(Keypair.random().secret(), network, 'https://127.0.0.1:1')
  const open = opened.use(new OpenPayments({ budget, rpcUrl: wallet.rpcUrl }))
  const paying = payAndCall({ http, wallet, network, budget, open, clock: systemClock })
  const tools = [paying, listPayments({ budget, open })]
  const facts = httpFacts({ facilitator: 'http://127.0.0.1:1', clock: systemClock })
  const server = createMcpServer({ version: '1', facts, moreTools: tools })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  opened.defer(() => client.close())
  const url = await seller(amount)
  const call = async (args: object) => {
    const answer = await client.callTool({
      name: 'pay_and_call',
      arguments: { url, max: '1', ...args },
    })
    const [content] = answer.content as { text: string }[]
    return { ...answer, text: content?.text ?? '' }
  }
  const list = () => client.callTool({ name: 'list_payments', arguments: {} })
  return { call, list, budget }
}

async function seller(amount: string): Promise<string> {
  const option = {
    scheme: 'exact',
    network,
    asset: usdcContracts[network],
    amount,
    payTo: Keypair.random().publicKey(),
    maxTimeoutSeconds: 60,
    extra: { areFeesSponsored: true },
  }
  const required = { x402Version: 2, resource: { url: 'https://api.example' }, accepts: [option] }
  const header = Buffer.from(JSON.stringify(required)).toString('base64')
  const server = createServer((_, response) =>
    response.writeHead(402, { 'payment-required': header }).end('{}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/paid`
}

describe('pay_and_call', () => {
  test('refuses a price of one base unit more than max', async () => {
    const { call, budget } = await world({ limit: 10_000_000n, amount: '100001' })
    expect((await call({ max: '0.01' })).text).toMatch(/^too_expensive: .+ nothing was paid/)
    expect(budget.state().spent).toBe(0n)
  })

  test('refuses a price of one base unit more than the budget has left', async () => {
    const { call, budget } = await world({ limit: 150_000n, amount: '100001' })
    budget.reserve(50_000n, { url: 'https://api.example' })
    const answer = await call({})
    expect(answer.text).toMatch(/^budget_exceeded: only 0\.01 USDC/)
    expect(answer._meta?.['svc/error']).toMatchObject({ paid: false, left: '0.01' })
    expect(budget.state().spent).toBe(50_000n)
  })

  test('gives back what it set aside when nothing could be signed', async () => {
    const { call, budget } = await world({ limit: 150_000n, amount: '100000' })
    const answer = await call({})
    expect(answer.text).toMatch(/^rpc_unreachable: .+ nothing was paid/)
    expect(answer._meta?.['svc/error']).toMatchObject({ paid: false })
    expect(budget.state().spent).toBe(0n)
  })

  test.each([
    ['0.01', /^too_expensive/],
    [0.01, /^too_expensive/],
    [0.0100001, /^rpc_unreachable/],
    [1e-7, /Invalid/],
    [0.000_000_01, /Invalid/],
    [-1, /Invalid/],
    [1e30, /Invalid/],
  ])('takes the maximum %s, as text or as a number', async (max, says) => {
    const { call, budget } = await world({ limit: 10_000_000n, amount: '100001' })
    expect((await call({ max })).text).toMatch(says)
    expect(budget.state().spent).toBe(0n)
  })

  test('counts what was signed while the ledger cannot be asked, and says so', async () => {
    const { call, list, budget } = await world({ limit: 150_000n, amount: '100000' })
    budget.reserve(100_000n, { url: 'https://api.example' }).signed(signed)
    expect((await call({})).text).toMatch(/^budget_exceeded: only 0\.005 USDC/)
    expect((await list()).structuredContent).toMatchObject({
      budget: { limit: '0.015', spent: '0.01', left: '0.005' },
      ledgerRead: false,
      payments: [{ state: 'signed', counted: '0.01' }],
      sellerText: expect.stringContaining('https://api.example'),
    })
  })

  test('shows what nothing explains, beside what it counts', async () => {
    const { list, budget } = await world({ limit: 150_000n, amount: '100000' })
    const lost = budget.reserve(100_000n, { url: 'https://api.example' })
    lost.signed(signed)
    budget.resolve(lost.id, { state: 'unexplained', because: 'unknown_transfer' })
    expect((await list()).structuredContent).toMatchObject({
      budget: { spent: '0.01', unexplained: '0.01', left: '0.005' },
      payments: [
        {
          id: String(lost.id),
          state: 'unexplained',
          because: 'unknown_transfer',
          counted: '0.01',
          payTo: signed.payTo,
        },
      ],
    })
  })

  test.each([
    ['no maximum', { max: undefined }],
    ['a maximum with more decimals than USDC has', { max: '0.00000001' }],
    ['a negative maximum', { max: '-1' }],
    ['a URL of another kind', { url: 'file:///etc/passwd' }],
    ['a user name in the URL', { url: 'http://me:secret@127.0.0.1/' }],
    ['a payment of its own', { headers: { 'Payment-Signature': 'x' } }],
    ['a body with GET', { body: '{}' }],
  ])('refuses %s', async (_, args) => {
    const { call, budget } = await world({ limit: 10_000_000n, amount: '1' })
    expect(await call(args)).toMatchObject({ isError: true })
    expect(budget.state().spent).toBe(0n)
  })
})
