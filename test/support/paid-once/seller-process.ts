/**
 * A seller in its own process: the stock server of Express, and an MCP server, whose answers are delivered once, from a table that all its
 * processes share. It reports its address, and exits when the parent does.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { paymentMiddleware } from '@x402/express'
import {
  declarePaymentIdentifierExtension,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import express from 'express'
import pg from 'pg'
import { z } from 'zod'
import { deliverOnceExpress, PostgresDeliveryStore } from '../../../src/package/delivery.ts'
import { toolSeller } from '../../../src/package/mcp-server.ts'
import { type SteadyClock, systemClock } from '../../../src/platform/core/time/clock.ts'
import { DOLLARS, network, type SellerSettings } from './settings.ts'

const PAUSE_MS = 200
const REPEATS = 25
/** A process that was killed is followed by another one this much later. */
const CLAIM_MS = 3_000

const { facilitatorUrl, payTo, databaseUrl }: SellerSettings = JSON.parse(process.argv[2] ?? '{}')
process.on('disconnect', () => process.exit(1))

/** Pauses between repeats are short. */
const clock: SteadyClock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, PAUSE_MS), signal),
}
const store = new PostgresDeliveryStore(
  new pg.Pool({ connectionString: databaseUrl, max: 10 }).on('error', () => undefined),
)
await store.createTable()

/** The stock server; its middleware would ask the facilitator once what it supports, and give up. */
async function stockServer(facilitator: HTTPFacilitatorClient): Promise<x402ResourceServer> {
  const resources = new x402ResourceServer(facilitator).register(network, new ExactStellarScheme())
  while (!resources.getSupportedKind(2, network, 'exact')) {
    await resources.initialize().catch(() => systemClock.sleep(PAUSE_MS))
  }
  return resources
}

/** As docs/sellers.md says: what has no final answer is settled again. */
function settlingAgain(facilitator: HTTPFacilitatorClient): HTTPFacilitatorClient {
  const settle = facilitator.settle.bind(facilitator)
  facilitator.settle = async (...payment) => {
    for (let left = REPEATS; ; left--) {
      try {
        const result = await settle(...payment)
        if (result.errorReason !== 'settlement_pending' || left === 0) return result
      } catch (error) {
        if (left === 0) throw error
      }
      await systemClock.sleep(PAUSE_MS)
    }
  }
  return facilitator
}

/** What is sold differs each time that a handler runs. */
const goods = (n: number) => ({ n, serial: randomUUID() })
/** The time is longer than what follows on a kill lasts, in ledgers of a quarter of a second. */
const accepts = { scheme: 'exact', network, price: DOLLARS, payTo, maxTimeoutSeconds: 900 } as const

const facilitator = () => new HTTPFacilitatorClient({ url: facilitatorUrl })
const tools = toolSeller({ resources: await stockServer(facilitator()), store }, clock)
const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  tools.sell(server, {
    name: 'goods',
    description: 'Goods',
    accepts,
    inputSchema: z.object({ n: z.number() }),
    run: ({ n }) => {
      const structuredContent = goods(n)
      return { content: [{ type: 'text', text: structuredContent.serial }], structuredContent }
    },
  })
  return server
})

const app = express()
app.post('/mcp', express.text({ type: () => true }), async (request, response) => {
  const answer = await mcp.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: request.headers as Record<string, string>,
      body: request.body,
    }),
  )
  response
    .status(answer.status)
    .setHeaders(new Map(answer.headers))
    .end(await answer.text())
})
app.all('/mcp', (_, response) => void response.sendStatus(405))
const resources = await stockServer(settlingAgain(facilitator()))
app.use(deliverOnceExpress({ store, scope: 'shop', claimMs: CLAIM_MS, resources }))
const extensions = { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() }
app.use(
  paymentMiddleware(
    { '/goods/*': { accepts, description: 'Goods', extensions } },
    resources,
    undefined,
    undefined,
    false,
  ),
)
app.get('/goods/:n', (request, response) => void response.json(goods(Number(request.params.n))))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
