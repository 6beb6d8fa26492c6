import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../src/buying/budget/open-payments.ts'
import { payAndCall } from '../../../../src/buying/mcp/payment/pay-and-call.ts'
import { walletOf } from '../../../../src/buying/sign/sign-payment.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { type OnceSeller, onceSeller } from '../../commands/buying/pay/once-seller.ts'
import { type BuyerWorld, buyerWorld } from '../buyer-world.ts'

/* `pay_and_call` when an answer is lost. The facilitator and the network are real. */

const network = 'stellar:testnet'
const PRICE = 100_000n
const folder = mkdtempSync(join(tmpdir(), 'svc-lost-answer-'))
let world: BuyerWorld
beforeAll(async () => {
  world = await buyerWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** An agent with a budget for two payments. */
function agent({
  file = join(folder, `${crypto.randomUUID()}.sqlite`),
  rpcUrl = world.stack.localnet.rpcUrl,
  clock = systemClock,
} = {}) {
  const budget = new Budget({ file, limit: 2n * PRICE, clock })
  const wallet = walletOf(world.buyer.secret, network, rpcUrl)
  const open = new OpenPayments({ budget, rpcUrl: wallet.rpcUrl })
  const { http } = world
  const tool = payAndCall({ http, wallet, network, budget, open, clock })
  return {
    ...{ file, budget, open },
    call: ({ url }: OnceSeller, signal = new AbortController().signal) =>
      tool.call({ url, max: '0.01', method: 'GET' }, { signal, fenceId: 'f', report: () => {} }),
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]()
      budget[Symbol.dispose]()
    },
  }
}

const sellerOf = (knowsIds = true) =>
  onceSeller(world.stack, { payTo: world.seller.address, knowsIds })

test('the same call again gets the answer to what was paid, and the budget counts one payment', async () => {
  await using seller = await sellerOf()
  await using buyer = agent()
  const before = await world.balance()
  seller.manner = 'loses'
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
  seller.manner = 'answers'
  const { result } = await buyer.call(seller)
  expect(result).toMatchObject({ status: 200, receipt: { outcome: 'settled' } })
  expect(seller.payments).toHaveLength(2)
  expect(new Set(seller.payments).size).toBe(1)
  expect(buyer.budget.state().spent).toBe(PRICE)
  expect(before - (await world.balance())).toBe(PRICE)
  await buyer.call(seller)
  expect(buyer.budget.state()).toMatchObject({ spent: 2n * PRICE, left: 0n })
})

test('a call that was cancelled after it had paid is answered when it is made again', async () => {
  await using seller = await sellerOf()
  await using buyer = agent()
  seller.manner = 'waits'
  const ending = new AbortController()
  const cancelled = buyer.call(seller, ending.signal)
  cancelled.catch(() => undefined)
  await expect.poll(() => seller.settled, { timeout: 120_000, interval: 20 }).toBe(1)
  ending.abort(new Error('no longer wanted'))
  seller.manner = 'answers'
  expect((await buyer.call(seller)).result).toMatchObject({ status: 200 })
  expect(new Set(seller.payments).size).toBe(1)
  expect(buyer.budget.state().spent).toBe(PRICE)
})

test.each([
  ['gives its answer to the next one', true],
  ['is not paid again by the next one unasked', false],
] as const)('a call that was cancelled and is answered later %s', async (_, knowsIds) => {
  await using seller = await sellerOf(knowsIds)
  await using buyer = agent()
  seller.manner = 'waits'
  const ending = new AbortController()
  const cancelled = buyer.call(seller, ending.signal)
  await expect.poll(() => seller.settled, { timeout: 120_000, interval: 20 }).toBe(1)
  ending.abort(new Error('no longer wanted'))
  seller.answerLate()
  // Its host drops this result.
  await cancelled
  seller.manner = 'answers'
  const again = buyer.call(seller)
  if (knowsIds) expect((await again).result).toMatchObject({ status: 200 })
  else await expect(again).rejects.toMatchObject({ code: 'paid_without_answer' })
  expect(new Set(seller.payments).size).toBe(1)
  expect(buyer.budget.state().spent).toBe(PRICE)
})

test.each([true, false])(
  'a lost answer that the ledger has explained blocks its call once, although the RPC forgets it (identifiers: %s)',
  async (knowsIds) => {
    await using seller = await sellerOf(knowsIds)
    await using buyer = agent()
    seller.manner = 'loses'
    await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(await buyer.open.resolve()).toBe(true)
    const transaction = buyer.budget.payments(1)[0]?.transaction
    await using later = agent({ file: buyer.file, rpcUrl: 'https://127.0.0.1:9/' })
    seller.manner = 'refuses'
    await expect(later.call(seller)).rejects.toMatchObject({
      code: 'paid_without_answer',
      said: { hint: expect.stringContaining(String(transaction)) },
    })
    seller.manner = 'answers'
    expect((await buyer.call(seller)).result).toMatchObject({ status: 200 })
    expect(new Set(seller.payments).size).toBe(2)
  },
)

test.each([
  ['is busy', 'busy'],
  ['does not know that it was paid', 'pending'],
  ['still serves it as a tool', 'serving'],
] as const)('a paid call is not over while its seller %s', async (_, manner) => {
  await using seller = await sellerOf()
  await using buyer = agent()
  seller.manner = 'loses'
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
  seller.manner = manner
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'payment_open' })
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'payment_open' })
  seller.manner = 'answers'
  expect((await buyer.call(seller)).result).toMatchObject({ status: 200 })
  expect(new Set(seller.payments).size).toBe(1)
})

test('a paid call is over once its seller was busy for a day', async () => {
  await using seller = await sellerOf()
  await using buyer = agent()
  seller.manner = 'loses'
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
  seller.manner = 'busy'
  const now = () => systemClock.now() + 25 * 3_600_000
  await using later = agent({ file: buyer.file, clock: { ...systemClock, now } })
  await expect(later.call(seller)).rejects.toMatchObject({ code: 'paid_without_answer' })
  seller.manner = 'answers'
  expect((await buyer.call(seller)).result).toMatchObject({ status: 200 })
  expect(new Set(seller.payments).size).toBe(2)
})

test('a seller that names no price while a payment is open is not one to whom nothing was paid', async () => {
  await using seller = await sellerOf()
  await using buyer = agent()
  seller.manner = 'loses'
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
  seller.manner = 'fails'
  await expect(buyer.call(seller)).rejects.toMatchObject({
    code: 'payment_open',
    facts: { paid: null },
  })
  seller.manner = 'answers'
  // The earlier payment is within the limit, and a price above it does not hide that.
  seller.price = '200000'
  expect((await buyer.call(seller)).result).toMatchObject({ status: 200 })
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'too_expensive' })
  expect(new Set(seller.payments).size).toBe(1)
})

test('a seller that knows no identifiers gets no second payment while the first is open', async () => {
  await using seller = await sellerOf(false)
  await using buyer = agent()
  seller.manner = 'keeps'
  await expect(buyer.call(seller)).rejects.toMatchObject({ code: 'outcome_unknown' })
  seller.manner = 'answers'
  await expect(buyer.call(seller)).rejects.toMatchObject({
    code: 'payment_open',
    facts: { paid: null },
    advice: { retryable: true },
  })
  expect(seller.payments).toHaveLength(1)
  expect(buyer.budget.state().spent).toBe(PRICE)
})
