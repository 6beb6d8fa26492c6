import { fileURLToPath } from 'node:url'
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readOffer, readReceipt } from '../../../../src/buying/proof/artifacts.ts'
import { validateDeclaration } from '../../../../src/package/bazaar.ts'
import {
  connect,
  connectWithExtension,
  type Generation,
  generations,
  type McpClient,
  textOf,
} from '../../../support/mcp-clients.ts'
import { conformanceOfPaidTools } from './conformance/scenarios.ts'
import { callsWith, hostilePayments, paying, refusal } from './hostile-payments.ts'
import { paymentCapability, send, sendBatch } from './json-rpc.ts'
import { openShop, type Shop } from './shop.ts'
import { ceiling, network, perLetter, price } from './tools.ts'

/* Paid tools of both official SDKs, sold through the real facilitator to their clients and the stock x402 client. */

let shop: Shop
let sdk1: McpClient
let sdk2: McpClient
beforeAll(async () => {
  shop = await openShop()
  sdk1 = await connect('sdk 1', { url: shop.url('sdk-1') })
  sdk2 = await connect('sdk 2', { url: shop.url('sdk-2') })
})
afterAll(async () => {
  await sdk1?.[Symbol.asyncDispose]()
  await sdk2?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})
afterEach(() => expect(shop.settlements.splice(0)).toEqual([]))

/** Asks for the price, and signs a payment of it. */
async function paymentFor(client: McpClient, tool = 'forecast', args: object = { city: 'Oslo' }) {
  const { structuredContent } = await client.call(tool, { ...args })
  return shop.pay(structuredContent)
}

/** A program that sells on standard input and output, with a server of this SDK. */
const onStdio = (generation: Generation) => ({
  program: fileURLToPath(new URL('stdio-program.ts', import.meta.url)),
  args: [generation],
  env: { FACILITATOR_URL: shop.stack.baseUrl, PAY_TO: shop.seller.address },
})

/** What the seller got, and how often its tools ran, during the work. */
async function during(work: () => Promise<unknown>) {
  const [before, runs] = [await shop.received(), shop.counter.runs]
  await work()
  return { received: (await shop.received()) - before, runs: shop.counter.runs - runs }
}

describe.each(generations)('over Streamable HTTP with %s', (generation) => {
  const client = () => (generation === 'sdk 1' ? sdk1 : sdk2)

  test('a call without a payment is told the price, and runs nothing', async () => {
    let answer: Awaited<ReturnType<McpClient['call']>> | undefined
    const happened = await during(async () => {
      answer = await client().call('forecast', { city: 'Oslo' })
    })

    const required: PaymentRequired = answer?.structuredContent
    expect(answer?.isError).toBe(true)
    expect(JSON.parse(textOf(answer!))).toEqual(required)
    expect(required).toMatchObject({
      x402Version: 2,
      error: 'Payment required to call forecast',
      resource: { url: 'mcp://tool/forecast' },
      accepts: [{ scheme: 'exact', network, amount: String(price), payTo: shop.seller.address }],
      extensions: { 'payment-identifier': { info: { required: false } } },
    })
    expect(await validateDeclaration(required)).toMatchObject({
      ok: true,
      listings: [{ kind: 'mcp', toolName: 'forecast', resource: 'mcp://tool/forecast' }],
      dropped: [],
    })
    expect(required.extensions?.['bazaar']).toMatchObject({
      info: { input: { inputSchema: { properties: { city: { type: 'string' } } } } },
    })
    const { offers } = Object(required.extensions?.['offer-receipt']).info
    expect(offers.map((each: never) => readOffer(each)?.payload)).toMatchObject([
      { resourceUrl: 'mcp://tool/forecast', amount: String(price), payTo: shop.seller.address },
    ])
    expect(happened).toEqual({ received: 0n, runs: 0 })
  })

  test('one payment buys one run, however often it comes, and each call gets the same answer', async () => {
    const payment = await paymentFor(client())
    const call = () => client().call('forecast', { city: 'Oslo' }, paying(payment))
    const answers: Awaited<ReturnType<typeof call>>[] = []
    const happened = await during(async () => {
      answers.push(...(await Promise.all([call(), call(), call()])))
      answers.push(await call())
    })

    expect(answers[0]).toMatchObject({
      structuredContent: { city: 'Oslo', degrees: 4 },
      _meta: { 'x402/payment-response': { success: true, network } },
    })
    const meta = answers[0]?._meta
    expect(shop.stack.taken).toContain(meta['x402/payment-response'].transaction)
    expect(meta.payer).toBe(meta['x402/payment-response'].payer)
    const signed = meta['x402/payment-response'].extensions['offer-receipt'].info.receipt
    expect(readReceipt(signed)?.payload).toMatchObject({
      ...{ network, resourceUrl: 'mcp://tool/forecast', payer: meta.payer },
      transaction: meta['x402/payment-response'].transaction,
    })
    // With the same receipt, whose signature is of one moment.
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(happened).toEqual({ received: price, runs: 1 })
    expect(await client().call('forecast', { city: 'Bergen' }, paying(payment))).toMatchObject(
      refusal('payment_used_for_another_call'),
    )
    const { resource: _, ...anywhere } = payment
    expect(await client().call('tides', {}, paying(anywhere))).toMatchObject(
      refusal('payment_used_for_another_call'),
    )
  })

  test('an error of the tool costs nothing, and the payment buys another call', async () => {
    const payment = await paymentFor(client())
    const happened = await during(async () => {
      for (const [city, says] of [
        ['nowhere', 'There is no such city'],
        ['storm', 'the storm took the antenna'],
        ['odd', 'its output schema'],
      ] as const) {
        const answer = await client().call('forecast', { city }, paying(payment))
        expect(answer.isError).toBe(true)
        expect(textOf(answer)).toContain(says)
        expect(answer._meta?.['x402/payment-response']).toBeUndefined()
      }
    })
    expect(happened).toEqual({ received: 0n, runs: 3 })
    const sold = await during(() => client().call('forecast', { city: 'Oslo' }, paying(payment)))
    expect(sold).toEqual({ received: price, runs: 1 })
  })

  test('a metered call is charged what it used', async () => {
    const bought = async (letters: number, fails = false) => {
      const args = { letters, fails }
      const { structuredContent } = await client().call('story', args)
      const { accepts } = structuredContent
      expect(accepts.map(({ scheme }: { scheme: string }) => scheme)).toEqual(['upto', 'exact'])
      const payment = await shop.pay({ ...structuredContent, accepts: [accepts[0]] })
      const happened = await during(async () => {
        const answer = await client().call('story', args, paying(payment))
        if (!fails) expect(answer._meta['x402/payment-response'].success).toBe(true)
      })
      return happened.received
    }
    expect(await bought(30)).toBe(30n * perLetter)
    expect(await bought(1_000)).toBe(ceiling)
    expect(await bought(0)).toBe(0n)
    expect(await bought(30, true)).toBe(0n)
  })

  test('serves the same on standard input and output', async () => {
    await using local = await connect(generation, onStdio(generation))
    const payment = await paymentFor(local)
    const happened = await during(async () => {
      const answer = await local.call('forecast', { city: 'Oslo' }, paying(payment))
      expect(answer._meta['x402/payment-response']).toMatchObject({ success: true })
    })
    expect(happened.received).toBe(price)
  })
})

conformanceOfPaidTools(() => shop)

describe('the extension org.x402/payment', () => {
  const call = (meta: object, capabilities: object = paymentCapability) => ({
    method: 'tools/call',
    params: { name: 'forecast', arguments: { city: 'Oslo' }, _meta: meta },
    capabilities,
  })

  test('is advertised, and answers with its own type of result', async () => {
    const url = shop.url('sdk-2')
    const { capabilities } = await send(url, { method: 'server/discover' })
    expect(capabilities).toMatchObject(paymentCapability)

    const unpaid = await send(url, call({}))
    expect(unpaid).toMatchObject({
      resultType: 'payment_required',
      paymentRequired: { x402Version: 2, error: 'Payment required to call forecast' },
    })
    expect(unpaid).not.toHaveProperty('structuredContent')

    const payment = await shop.pay(unpaid.paymentRequired)
    const wrong = { ...payment, accepted: { ...payment.accepted, amount: '1' } }
    expect(await send(url, call({ 'x402/payment': wrong }))).toMatchObject({
      resultType: 'payment_required',
      paymentRequired: { error: 'payment_for_other_terms' },
    })
    const happened = await during(async () => {
      expect(await send(url, call({ 'x402/payment': payment }))).toMatchObject({
        resultType: 'complete',
        structuredContent: { city: 'Oslo' },
        _meta: { 'x402/payment-response': { success: true } },
      })
    })
    expect(happened).toEqual({ received: price, runs: 1 })
  })

  test.each([
    { over: 'Streamable HTTP', place: () => ({ url: shop.url('sdk-2') }) },
    { over: 'standard input and output', place: () => onStdio('sdk 2') },
  ])('asks an official client that names it over $over, and is paid', async ({ place }) => {
    await using client = await connectWithExtension(place())
    const unpaid = await client.call('forecast', { city: 'Oslo' })
    expect(unpaid).toMatchObject({
      resultType: 'payment_required',
      paymentRequired: { error: 'Payment required to call forecast' },
    })
    expect(unpaid).not.toHaveProperty('structuredContent')
    const payment = await shop.pay(Object(unpaid).paymentRequired)
    const happened = await during(async () => {
      expect(await client.call('forecast', { city: 'Oslo' }, paying(payment))).toMatchObject({
        structuredContent: { city: 'Oslo' },
        _meta: { 'x402/payment-response': { success: true } },
      })
    })
    expect(happened.received).toBe(price)
  })

  test('is not used in a protocol that has no other types of results', async () => {
    await using client = await connectWithExtension({ url: shop.url('sdk-1') })
    const answer = await client.call('forecast', { city: 'Oslo' })
    expect(answer).toMatchObject(refusal('Payment required to call forecast'))
  })

  test('is not used for a client that does not name it', async () => {
    expect(await send(shop.url('sdk-2'), call({}, {}))).toMatchObject({
      resultType: 'complete',
      ...refusal('Payment required to call forecast'),
    })
    const claim = {
      'io.modelcontextprotocol/protocolVersion': '2025-11-25',
      'io.modelcontextprotocol/clientCapabilities': paymentCapability,
    }
    for (const client of [sdk1, sdk2]) {
      const answer = await client.call('forecast', { city: 'Oslo' }, { meta: claim }).catch(String)
      expect(answer).not.toHaveProperty('resultType')
    }
  })

  test('a payment anywhere else than in x402/payment is none', async () => {
    const { paymentRequired } = await send(shop.url('sdk-2'), call({}))
    const payment = await shop.pay(paymentRequired)
    const elsewhere = { 'org.x402/payment': { paymentPayload: payment } }
    expect(await send(shop.url('sdk-2'), call(elsewhere))).toMatchObject({
      resultType: 'payment_required',
    })
    const happened = await during(() =>
      send(shop.url('sdk-2'), call({ ...elsewhere, 'x402/payment': payment })),
    )
    expect(happened).toEqual({ received: price, runs: 1 })
  })
})

describe('a settlement', () => {
  const failed = (errorReason: string): SettleResponse => ({
    success: false,
    errorReason,
    transaction: '',
    network,
  })

  test('that fails withholds the answer; its payment settles later without another run', async () => {
    const payment = await paymentFor(sdk2)
    const call = () => sdk2.call('forecast', { city: 'Oslo' }, paying(payment))
    const happened = await during(async () => {
      shop.settlements.push(async () => failed('insufficient_funds'))
      const answer = await call()
      expect(answer).toMatchObject({
        ...refusal('insufficient_funds'),
        _meta: { 'x402/payment-response': { success: false, errorReason: 'insufficient_funds' } },
      })
      expect(JSON.parse(textOf(answer))).toEqual(answer.structuredContent)
      expect(textOf(answer)).not.toContain('Oslo 4')
      expect(await call()).toMatchObject({ structuredContent: { degrees: 4 } })
    })
    expect(happened).toEqual({ received: price, runs: 1 })
  })

  test('whose answer is pending or lost is repeated until there is one', async () => {
    const payment = await paymentFor(sdk1)
    const lost = async (real: () => Promise<SettleResponse>) => {
      await real()
      throw new Error('the connection broke')
    }
    const happened = await during(async () => {
      shop.settlements.push(async () => failed('settlement_pending'), lost)
      const answer = await sdk1.call('forecast', { city: 'Oslo' }, paying(payment))
      expect(answer._meta['x402/payment-response']).toMatchObject({ success: true })
    })
    expect(happened).toEqual({ received: price, runs: 1 })
    expect(shop.errors.map(String)).toContain('Error: the connection broke')
  })
})

test('two processes with one store run the tool once for one payment', async () => {
  const payment = await paymentFor(sdk2)
  await using other = await connect('sdk 2', { url: shop.url('replica') })
  const happened = await during(async () => {
    const [one, two] = await Promise.all(
      [sdk2, other].map((client) => client.call('forecast', { city: 'Oslo' }, paying(payment))),
    )
    expect(one).toEqual(two)
    expect(one?._meta['x402/payment-response']).toMatchObject({ success: true })
  })
  expect(happened).toEqual({ received: price, runs: 1 })
})

test('after the price has changed, a repeat still gets what it paid for, and nothing else is sold at the old one', async () => {
  const [sold, late] = [await paymentFor(sdk2), await paymentFor(sdk2)]
  const call = { city: 'Oslo' }
  const answer = await sdk2.call('forecast', call, paying(sold))
  await using dearer = await connect('sdk 2', { url: shop.url('dearer') })
  const happened = await during(async () => {
    expect(await dearer.call('forecast', call, paying(sold))).toEqual(answer)
    expect(await dearer.call('forecast', call, paying(late))).toMatchObject(
      refusal('payment_for_other_terms'),
    )
  })
  expect(happened).toEqual({ received: 0n, runs: 0 })
})

describe('a payment identifier', () => {
  const withId = (payment: PaymentPayload, id: unknown): PaymentPayload => ({
    ...payment,
    extensions: { 'payment-identifier': { info: { required: false, id } } },
  })

  test('is of one payment, and is free again after an error', async () => {
    const id = `pay_${crypto.randomUUID()}`
    const [first, second] = [await paymentFor(sdk2), await paymentFor(sdk2)]
    const call = (payment: unknown, city = 'Oslo') =>
      sdk2.call('forecast', { city }, paying(payment))
    const happened = await during(async () => {
      await call(withId(first, id), 'nowhere')
      const answersNow = async () => {
        const both = await Promise.all([call(withId(second, id)), call(withId(first, id))])
        // Of a refusal the reason alone: its price is signed anew each time.
        return both.map((each) => (each.isError ? each.structuredContent.error : each))
      }
      const answers = await answersNow()
      expect(answers.filter((each) => each === 'payment_identifier_conflict')).toHaveLength(1)
      expect(answers.filter((each) => each.structuredContent)).toHaveLength(1)
      expect(await answersNow()).toEqual(answers)
    })
    expect(happened).toEqual({ received: price, runs: 2 })
  })

  test('may be demanded', async () => {
    await using strict = await connect('sdk 2', { url: shop.url('strict') })
    const payment = await paymentFor(strict)
    expect(await strict.call('forecast', { city: 'Oslo' }, paying(payment))).toMatchObject(
      refusal('payment_identifier_required'),
    )
  })
})

test.each(['sdk-1', 'sdk-2'] as const)(
  'a batch of calls with one payment sells at most one: %s',
  async (path) => {
    const payment = await paymentFor(path === 'sdk-1' ? sdk1 : sdk2)
    const { received, runs } = await during(() => sendBatch(shop.url(path), callsWith(payment)))
    expect(runs).toBeLessThanOrEqual(1)
    expect(received).toBe(price * BigInt(runs))
  },
)

test('hostile payments are refused with a reason, run nothing, and leave the payment good', async () => {
  const expired = await paymentFor(sdk2)
  // It is valid for 120 s, which are 24 ledgers.
  for (let n = 0; n <= 26; n++) await shop.stack.localnet.closeLedger()
  const good = await paymentFor(sdk2)
  const { structuredContent: dear } = await sdk2.call('story', { letters: 1 })
  const cheap = { ...(await paymentFor(sdk2)), accepted: dear.accepts[1], resource: dear.resource }
  const dearly = await sdk2.call('story', { letters: 1 }, paying(cheap))
  expect(dearly).toMatchObject(refusal(expect.stringMatching(/^invalid_.*amount/)))
  const happened = await during(async () => {
    for (const [name, payment, error] of hostilePayments(good, expired)) {
      const answer = await sdk2.call('forecast', { city: 'Oslo' }, paying(payment))
      expect({ name, ...answer }).toMatchObject({ name, ...refusal(error) })
      expect(answer._meta?.['x402/payment-response']).toBeUndefined()
    }
  })
  expect(happened).toEqual({ received: 0n, runs: 0 })
  const huge = { 'x402/payment': good, noise: 'x'.repeat(500_000) }
  const sold = await during(() => sdk2.call('forecast', { city: 'Oslo' }, { meta: huge }))
  expect(sold).toEqual({ received: price, runs: 1 })
})
