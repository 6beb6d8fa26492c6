import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PayFailure } from '../../../src/buying/outcome/pay-failure.ts'
import { quoteFacts } from '../../../src/buying/quote/quote-facts.ts'
import { textOf } from '../../../src/buying/seller/shown-answer.ts'
import { METERED_PATH } from '../../../src/demo/seller/metered-route.ts'
import { PAID_PATH, paidApi } from '../../../src/demo/seller/seller.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { usdc } from '../../support/stack.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* A buyer and a seller of the stock packages, over a real facilitator and a real network. */

let world: BuyerWorld
let server: Server
let origin: string

beforeAll(async () => {
  world = await buyerWorld()
  const { stack, seller } = world
  const api = paidApi({
    facilitatorUrl: stack.baseUrl,
    network: 'stellar:testnet',
    payTo: seller.address,
    clock: systemClock,
  })
  server = api.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await world?.[Symbol.asyncDispose]()
})

describe('a call with a fixed price', () => {
  test('is quoted without a payment', async () => {
    const before = await world.balance()
    const facts = quoteFacts(await world.ask(origin + PAID_PATH))
    expect(facts).toEqual({
      url: origin + PAID_PATH,
      method: 'GET',
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: usdc,
      amount: '100000',
      usdc: '0.01',
      payTo: world.seller.address,
      maxTimeoutSeconds: 120,
      seller: {
        url: origin + PAID_PATH,
        description: 'The weather of a city, for one cent',
        mimeType: 'application/json',
      },
      others: [],
    })
    expect(await world.balance()).toBe(before)
  })

  test('costs its price, once, and the receipt names the transaction on the ledger', async () => {
    const before = await world.balance()
    const steps: string[] = []
    const quoted = await world.ask(origin + PAID_PATH)

    const paid = await world.pay(quoted, { onStep: (step) => steps.push(step) })

    expect(JSON.parse(textOf(paid.answer.body, false) ?? '')).toMatchObject({ weather: 'sunny' })
    expect(paid.receipt).toMatchObject({
      url: origin + PAID_PATH,
      method: 'GET',
      status: 200,
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: usdc,
      signed: '100000',
      amount: '100000',
      usdc: '0.01',
      payTo: world.seller.address,
      payer: world.buyer.address,
      outcome: 'settled',
    })
    expect(world.stack.taken).toContain(paid.receipt.transaction)
    expect(steps).toEqual(['asking', 'priced', 'signed', 'answered'])
    expect(before - (await world.balance())).toBe(100_000n)
  })

  test('is not paid once the caller has stopped', async () => {
    const before = await world.balance()
    const stop = new AbortController()
    const quoted = await world.ask(origin + PAID_PATH)
    const onStep = () => stop.abort(new Error('enough'))
    await expect(world.pay(quoted, { signal: stop.signal, onStep })).rejects.toThrow('enough')
    expect(await world.balance()).toBe(before)
  })

  test('has an unknown outcome for a caller who stops after the payment was sent', async () => {
    const before = await world.balance()
    const stop = new AbortController()
    const quoted = await world.ask(origin + PAID_PATH)
    world.stack.hold(true)
    try {
      const paying = world.pay(quoted, { signal: stop.signal })
      const taken = world.stack.taken.length
      await expect.poll(() => world.stack.taken.length, { timeout: 120_000 }).toBe(taken + 1)
      stop.abort(new Error('enough'))
      const failure = await paying.catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(PayFailure)
      expect(failure).toMatchObject({
        code: 'outcome_unknown',
        paid: null,
        isSent: true,
        receipt: { outcome: 'unknown', signed: '100000', amount: null },
      })
    } finally {
      world.stack.hold(false)
    }
    await world.stack.localnet.closeLedger()
    // It was settled after all.
    await expect.poll(world.balance, { timeout: 120_000 }).toBe(before - 100_000n)
  })
})

describe('a metered call', () => {
  test('costs what it used, below the ceiling that was signed', async () => {
    const before = await world.balance()
    const { receipt } = await world.pay(await world.ask(origin + METERED_PATH))
    expect(receipt).toMatchObject({
      scheme: 'upto',
      signed: '200000',
      amount: '48000',
      usdc: '0.0048',
      outcome: 'settled',
    })
    expect(before - (await world.balance())).toBe(48_000n)
  })

  test('that its seller refuses costs nothing, and shows why', async () => {
    const before = await world.balance()
    const failure = await world.failure(`${origin}${METERED_PATH}?days=31`)
    expect(failure).toMatchObject({
      code: 'outcome_unknown',
      answer: {
        status: 400,
        contentType: 'application/json',
        text: '{"error":"days is a number from 1 to 30"}',
        isCut: false,
      },
    })
    expect(await world.balance()).toBe(before)
  })

  test('is not signed for with a lower limit than its ceiling', async () => {
    const quoted = await world.ask(origin + METERED_PATH)
    await expect(world.pay(quoted, {}, 199_999n)).rejects.toMatchObject({
      code: 'too_expensive',
      isSent: false,
    })
  })
})
