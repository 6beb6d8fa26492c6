import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PaymentStillOpen, payOnceFetch } from '../../../src/buying/client/pay-once-fetch.ts'
import { stockClient } from '../../support/stock/stock-client.ts'
import { onceSeller } from '../commands/buying/pay/once-seller.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* The stock fetch client over `payOnceFetch`, with a real facilitator and a seller that loses answers. */

const PRICE = 100_000n
let world: BuyerWorld
let before: bigint
let kept: Map<string, string>
beforeAll(async () => {
  world = await buyerWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  before = await world.balance()
  kept = new Map()
})

const debits = async () => (before - (await world.balance())) / PRICE
const sellerOf = (knowsIds = true) =>
  onceSeller(world.stack, { payTo: world.seller.address, knowsIds })

/** As after a restart: only the store is the same. */
function buyer() {
  const store = {
    get: (key: string) => kept.get(key),
    put: (key: string, value: string) => void kept.set(key, value),
    remove: (key: string) => void kept.delete(key),
  }
  return wrapFetchWithPayment(payOnceFetch(store), stockClient(world.stack.localnet, world.buyer))
}

test('the same request again gets the answer that was lost, and pays nothing more', async () => {
  await using seller = await sellerOf()
  const post = { method: 'POST', body: '{"day":1}' }
  seller.manner = 'loses'
  await expect(buyer()(seller.url, post)).rejects.toThrow()
  expect([...kept.values()]).toEqual(seller.payments)
  seller.manner = 'answers'
  const answer = await buyer()(seller.url, post)
  expect(await answer.text()).toBe('sunny')
  expect(seller.payments).toHaveLength(2)
  expect(new Set(seller.payments).size).toBe(1)
  expect(await debits()).toBe(1n)
  expect(kept.size).toBe(0)

  await buyer()(seller.url, post)
  expect(new Set(seller.payments).size).toBe(2)
  expect(await debits()).toBe(2n)
})

test('an answer that breaks off is asked for again, and not paid again', async () => {
  await using seller = await sellerOf()
  seller.manner = 'breaks'
  await expect(buyer()(seller.url)).rejects.toThrow()
  expect([...kept.values()]).toEqual(seller.payments)
  seller.manner = 'answers'
  const answer = await buyer()(`${seller.url.replace('http', 'HTTP')}#again`)
  expect(answer.url).toBe(seller.url)
  expect(await answer.text()).toBe('sunny')
  expect(new Set(seller.payments).size).toBe(1)
  expect(kept.size).toBe(0)
})

test('another request is another purchase', async () => {
  await using seller = await sellerOf()
  seller.manner = 'loses'
  await expect(buyer()(seller.url)).rejects.toThrow()
  seller.manner = 'answers'
  expect((await buyer()(`${seller.url}?day=2`)).status).toBe(200)
  expect((await buyer()(seller.url, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(new Set(seller.payments).size).toBe(3)
})

test('a seller that knows no identifiers gets nothing more until the caller has ended the payment', async () => {
  await using seller = await sellerOf(false)
  seller.manner = 'keeps'
  await expect(buyer()(seller.url)).rejects.toThrow()
  seller.manner = 'answers'
  const refused = await buyer()(seller.url).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(PaymentStillOpen)
  expect(refused).toMatchObject({ payment: seller.payments[0], response: undefined })
  expect(seller.payments).toHaveLength(1)
  kept.delete(Object(refused).key)
  expect((await buyer()(seller.url)).status).toBe(200)
})

test('a payment that the seller refuses is sent again, and no other is made', async () => {
  await using seller = await sellerOf()
  seller.manner = 'conflicts'
  expect((await buyer()(seller.url)).status).toBe(409)
  await expect(buyer()(seller.url)).rejects.toMatchObject({
    name: 'PaymentStillOpen',
    response: { status: 409 },
  })
  expect(new Set(seller.payments).size).toBe(1)
})
