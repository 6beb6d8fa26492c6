import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { StockServer } from '../../../../src/selling/mcp/offers.ts'
import type { PaidCall, PaidTool } from '../../../../src/selling/mcp/tool.ts'
import { type ToolSellerOptions, toolSeller } from '../../../../src/selling/mcp/tool-seller.ts'
import type { ToolResult } from '../../../../src/selling/mcp/transport.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { priceFor } from '../../../support/stock/stock-client.ts'

/* What a stock server and a facilitator rarely do. */

const payee = 'GAUYSZLHGZQ2FST3KPBBTSA6WKYAWFMK33AVYS6D6JOADEO7SFNKJNX4'
const price = priceFor(payee, { scheme: 'upto' })
const payment: PaymentPayload = { x402Version: 2, accepted: price, payload: { transaction: 'AA' } }
const receipt: SettleResponse = { success: true, transaction: 'hash', network: price.network }
const goods: ToolResult = { content: [{ type: 'text', text: 'goods' }] }

function fakeServer(changes: Partial<StockServer> = {}) {
  const settled: (string | undefined)[] = []
  const resources: StockServer = {
    initialize: vi.fn(async () => {}),
    getSupportedKind: () => ({ x402Version: 2, scheme: 'upto', network: price.network }),
    buildPaymentRequirements: async () => [price],
    createPaymentRequiredResponse: async (accepts, resource, _error, extensions = {}) => ({
      x402Version: 2,
      accepts,
      resource,
      extensions,
    }),
    findMatchingRequirements: ([first]: PaymentRequirements[]) => first,
    verifyPayment: async () => ({ isValid: true, payer: 'GBUYER' }),
    settlePayment: async (_payment, _price, _extensions, _context, overrides) => {
      settled.push(overrides?.amount)
      return receipt
    },
    ...changes,
  }
  return { resources, settled }
}

type Run = PaidTool<{ n: number }>['run']

/** Registers the tool as an SDK would have it, and calls it with this payment. */
async function called(
  run: Run,
  changes: Partial<StockServer> = {},
  options: Partial<ToolSellerOptions> = {},
) {
  const { resources, settled } = fakeServer(changes)
  const errors: unknown[] = []
  const capabilities: object[] = []
  let callback: (args: unknown, context: unknown) => Promise<ToolResult> = async () => goods
  const server = {
    registerTool: (_name: string, _config: object, given: typeof callback) => {
      callback = given
    },
    isConnected: () => false,
    server: { registerCapabilities: (given: object) => capabilities.push(given) },
  }
  const seller = toolSeller(
    { resources, onError: (error) => errors.push(error), ...options },
    new FakeClock(),
  )
  seller.sell(server, {
    name: 'count',
    description: 'Counts',
    accepts: { scheme: 'upto', network: price.network, price: '$0.01', payTo: payee },
    inputSchema: z.object({ n: z.number() }),
    run,
  })
  const context = { mcpReq: { _meta: { 'x402/payment': payment } } }
  const answer = () => callback({ n: 1 }, context)
  return { answer, settled, errors, capabilities, resources, ask: () => callback({ n: 1 }, {}) }
}

const refused = (error: string) => ({ isError: true, structuredContent: { error } })

test('a verification without an answer is refused, and runs nothing', async () => {
  const run = vi.fn<Run>(() => goods)
  const broken = new Error('the facilitator is down')
  const { answer, errors } = await called(run, { verifyPayment: () => Promise.reject(broken) })
  expect(await answer()).toMatchObject(refused('facilitator_unavailable'))
  expect(errors).toEqual([broken])
  expect(run).not.toHaveBeenCalled()
})

test('a refusal that the stock client throws has its reason', async () => {
  const thrown = Object.assign(new Error('400'), { invalidReason: 'invalid_payload' })
  const { answer } = await called(() => goods, { verifyPayment: () => Promise.reject(thrown) })
  expect(await answer()).toMatchObject(refused('invalid_payload'))
})

test('a price that cannot be told is an error, whose cause the buyer does not learn', async () => {
  const cause = new Error('http://10.0.0.1 refused')
  const { ask, errors } = await called(() => goods, {
    buildPaymentRequirements: () => Promise.reject(cause),
  })
  await expect(ask()).rejects.toThrow('The price of count is not known now. Call again later.')
  expect(errors).toEqual([cause])
})

test('the stock server is initialized with the first call, once for calls at the same moment', async () => {
  let isReady = false
  const initialize = vi.fn(async () => {
    isReady = true
  })
  const kind = { x402Version: 2, scheme: 'upto', network: price.network }
  const getSupportedKind = () => (isReady ? kind : undefined)
  const { ask } = await called(() => goods, { initialize, getSupportedKind })
  expect(initialize).not.toHaveBeenCalled()
  await Promise.all([ask(), ask()])
  await ask()
  expect(initialize).toHaveBeenCalledOnce()
})

test.each<[string, (call: PaidCall) => void, string | undefined]>([
  ['the last charge', ({ charge }) => void [charge(5n), charge(7n)], '7'],
  ['at most the ceiling', ({ charge }) => void charge(10n ** 12n), price.amount],
  ['nothing', ({ charge }) => void charge(0n), '0'],
  ['the ceiling, without a charge', () => {}, undefined],
])('settles %s', async (_, charge, amount) => {
  const { answer, settled } = await called((_args, call) => {
    charge(call)
    return goods
  })
  expect(await answer()).toMatchObject({ _meta: { 'x402/payment-response': receipt } })
  expect(settled).toEqual([amount])
})

test.each<[string, Run]>([
  ['a negative charge', (_, { charge }) => ({ ...goods, charged: charge(-1n) })],
  ['an error', () => ({ ...goods, isError: true })],
  ['a question to the caller', () => ({ resultType: 'input_required', content: [] })],
  ['an answer that is no JSON', () => ({ ...goods, structuredContent: { n: 1n } })],
])('%s settles nothing', async (_, run) => {
  const { answer, settled } = await called(run)
  await answer().catch(String)
  expect(settled).toEqual([])
})

test('a tool under a public address is declared with it, or not at all', async () => {
  const url = 'https://tools.example.com/mcp'
  const { ask, capabilities } = await called(() => goods, {}, { url })
  const { structuredContent } = await ask()
  expect(structuredContent).toMatchObject({
    resource: { url },
    extensions: {
      bazaar: { info: { input: { type: 'mcp', toolName: 'count', transport: 'streamable-http' } } },
    },
  })
  expect(capabilities).toEqual([{ extensions: { 'org.x402/payment': {} } }])
  const unlisted = await (await called(() => goods, {}, { isListed: false })).ask()
  expect(unlisted.structuredContent).not.toHaveProperty('extensions.bazaar')
})
