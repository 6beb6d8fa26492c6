/* A small MCP server with one paid tool, of the official SDK and the stock server code of x402. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type CallToolResult, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { z } from 'zod'

const network = 'stellar:testnet'

export interface ToolSale {
  readonly facilitatorUrl: string
  readonly payTo: string
  /** @default $0.02 */
  readonly price?: string
}

/** What the stock server code does with a call. */
export interface StockSeller {
  readonly required: (reason: string) => Promise<PaymentRequired>
  /** The honest result of a call that carries this payment. */
  readonly sell: (payment: PaymentPayload) => Promise<CallToolResult>
}

export async function stockSeller(sale: ToolSale): Promise<StockSeller> {
  const { facilitatorUrl, payTo, price = '$0.02' } = sale
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl })
  const resources = new x402ResourceServer(facilitator).register(network, new ExactStellarScheme())
  await resources.initialize()
  const scheme = 'exact'
  const accepts = await resources.buildPaymentRequirements({
    ...{ scheme, network, price, payTo, maxTimeoutSeconds: 120 },
  })
  const resource = { url: 'mcp://tool/forecast', description: 'A forecast', mimeType: 'text/plain' }
  const required = (reason: string) =>
    resources.createPaymentRequiredResponse(accepts, resource, reason)
  return {
    required,
    async sell(payment) {
      const wanted = resources.findMatchingRequirements(accepts, payment)
      if (!wanted) return priced(await required('The payment is for another price'))
      const { isValid, invalidReason = 'invalid' } = await resources.verifyPayment(payment, wanted)
      if (!isValid) return priced(await required(invalidReason))
      const receipt = await resources.settlePayment(payment, wanted)
      if (!receipt.success) return priced(await required(receipt.errorReason ?? 'not settled'))
      return sold(receipt)
    },
  }
}

/** The binding of a tool's result. */
export const priced = (required: object): CallToolResult => ({
  isError: true,
  structuredContent: { ...required },
  content: [{ type: 'text', text: JSON.stringify(required) }],
})

export const sold = (receipt: object, text = 'sunny'): CallToolResult => ({
  content: [{ type: 'text', text }],
  _meta: { 'x402/payment-response': { ...receipt } },
})

interface Call {
  readonly seller: StockSeller
  /** Undefined for a call that asks for the price. */
  readonly payment: PaymentPayload | undefined
  /** Number of the call of the tool, from 1. */
  readonly n: number
}

export type Behave = (call: Call) => CallToolResult | Promise<CallToolResult>

export const honest: Behave = async ({ seller, payment }) =>
  payment ? seller.sell(payment) : priced(await seller.required('Payment required'))

/** A server whose tool `forecast` behaves so; `seen` has the payments that came, and counts the calls. */
export function paidMcpServer(seller: StockSeller, behave: Behave, seen: Seen): McpServer {
  const server = new McpServer({ name: 'forecasts', version: '1.0.0' })
  const inputSchema = z.object({ city: z.string() })
  server.registerTool('forecast', { inputSchema }, (_, { mcpReq }) => {
    const payment = mcpReq._meta?.['x402/payment'] as PaymentPayload | undefined
    if (payment) seen.payments.push(payment)
    seen.calls += 1
    return behave({ seller, payment, n: seen.calls })
  })
  return server
}

interface Seen {
  readonly payments: PaymentPayload[]
  calls: number
}

/** Answers a request in place of the server. @returns whether it did */
export type Raw = (request: IncomingMessage, response: ServerResponse, body: string) => boolean

interface Serving {
  readonly behave?: Behave | undefined
  readonly raw?: Raw | undefined
  /** `extension`: asks callers who know `org.x402/payment` by its result type. @default 'result' */
  readonly binding?: 'result' | 'extension'
}

export interface PaidMcpServer extends Seen, AsyncDisposable {
  /** `mcp+http://127.0.0.1:PORT/mcp#forecast` */
  readonly url: string
  /** How often it asked by the extension. */
  readonly asksByExtension: number
}

/** Serves it over Streamable HTTP. */
export async function servePaidTool(
  seller: StockSeller,
  { behave = honest, raw = () => false, binding = 'result' }: Serving = {},
): Promise<PaidMcpServer> {
  const seen: Seen = { payments: [], calls: 0 }
  let asksByExtension = 0
  const mcp = createMcpHandler(() => paidMcpServer(seller, behave, seen))
  const http = createServer(async (request, response) => {
    const { method = 'GET', headers, url } = request
    const body = (await buffer(request)).toString()
    if (raw(request, response, body)) return
    const sentHeaders = Object.entries(headers).map(([name, value]) => [name, String(value)])
    const given = {
      method,
      headers: Object.fromEntries(sentHeaders),
      ...(method === 'POST' && { body }),
    }
    const answer = await mcp.fetch(new Request(`http://127.0.0.1${url}`, given))
    const text = await answer.text()
    const isKnown = binding === 'extension' && body.includes('"org.x402/payment"')
    const sent = isKnown ? text.split('\n').map(byExtension).join('\n') : text
    if (sent !== text) asksByExtension += 1
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(sent)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `mcp+http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp#forecast`,
    payments: seen.payments,
    get asksByExtension() {
      return asksByExtension
    },
    get calls() {
      return seen.calls
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
      await mcp.close()
    },
  }
}

/** The official SDK sends no result type of an extension, so it is written into its answer. */
function byExtension(line: string): string {
  const prefix = line.startsWith('data: ') ? 'data: ' : ''
  if (prefix === '' && !line.startsWith('{')) return line
  const message = JSON.parse(line.slice(prefix.length))
  const { structuredContent, isError, resultType, content, ...rest } = message.result ?? {}
  if (!isError || structuredContent?.x402Version !== 2) return line
  const result = { ...rest, resultType: 'payment_required', paymentRequired: structuredContent }
  return prefix + JSON.stringify({ ...message, result })
}
