import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { UptoStellarScheme } from '../../../../src/buying/upto/client.ts'
import { ledgerReader } from '../../../../src/demo/observe/ledger-reader.ts'
import { MemoryDeliveryStore, toolSeller } from '../../../../src/package/mcp-server.ts'
import { declareReceipts, payToSigner, receipts } from '../../../../src/package/receipts.ts'
import { type SteadyClock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import { registerUptoStellarScheme } from '../../../../src/selling/upto/register.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import {
  type Account,
  accountWithUsdc,
  reach,
  stockClient,
} from '../../../support/stock/stock-client.ts'
import { network, sellTools } from './tools.ts'

/** An MCP server that sells over Streamable HTTP through a real facilitator, and a buyer with 50 USDC. */
export interface Shop extends AsyncDisposable {
  readonly stack: Stack
  readonly seller: Account
  /** The stock server with the facilitator's address. */
  readonly resources: x402ResourceServer
  /** How often tools with a fixed price ran. */
  readonly counter: { runs: number }
  /** What the facilitator's answers to the next settlements are replaced by. */
  readonly settlements: ((real: () => Promise<SettleResponse>) => Promise<SettleResponse>)[]
  readonly errors: unknown[]
  /** `sdk-1` and `sdk-2`: a server of that SDK. `replica`: another process, with the same store. `strict`: wants ids. `dearer`: costs more. */
  url(path: 'sdk-1' | 'sdk-2' | 'replica' | 'strict' | 'dearer'): string
  /** Signs, as the stock client does. */
  pay(required: PaymentRequired): Promise<PaymentPayload>
  /** Of the seller, in base units of USDC. */
  received(): Promise<bigint>
}

/** Pauses between repeats are short. */
const clock: SteadyClock = {
  monotonic: () => systemClock.monotonic(),
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 10), signal),
}

export async function openShop(): Promise<Shop> {
  await using opened = new AsyncDisposableStack()
  const stack = opened.use(await startStack({ tls: true, upto: true, closeEveryMs: 'on-send' }))
  reach(stack.localnet)
  const buyer = await accountWithUsdc(stack.localnet, 50n)
  const seller = await accountWithUsdc(stack.localnet)
  const counter = { runs: 0 }
  const settlements: Shop['settlements'] = []
  const errors: unknown[] = []

  const facilitator = new HTTPFacilitatorClient({ url: stack.baseUrl })
  const settle = facilitator.settle.bind(facilitator)
  facilitator.settle = (...payment) => {
    const real = () => settle(...payment)
    return (settlements.shift() ?? ((answer) => answer()))(real)
  }
  const resources = new x402ResourceServer(facilitator)
  registerUptoStellarScheme(resources.register(network, new ExactStellarScheme()), network)
  resources.registerExtension(receipts({ signer: payToSigner(seller.secret) }))
  const store = new MemoryDeliveryStore()
  const newSeller = (paymentIdentifier: 'optional' | 'required') =>
    toolSeller(
      { resources, store, paymentIdentifier, onError: (error) => errors.push(error) },
      clock,
    )
  const sellers = {
    'sdk-1': newSeller('optional'),
    'sdk-2': newSeller('optional'),
    replica: newSeller('optional'),
    strict: newSeller('required'),
    dearer: newSeller('optional'),
  }
  const sale = { payTo: seller.address, counter, extensions: declareReceipts() }
  const identity = { name: 'shop', version: '1.0.0' }
  const handlerOf = (path: 'sdk-2' | 'replica' | 'strict' | 'dearer', dollars = '$0.01') =>
    createMcpHandler(() => {
      const server = new McpServer(identity)
      sellTools(server, sellers[path], { ...sale, dollars })
      return server
    })
  const handlers = {
    'sdk-2': handlerOf('sdk-2'),
    replica: handlerOf('replica'),
    strict: handlerOf('strict'),
    dearer: handlerOf('dearer', '$0.02'),
  }

  async function answerOld(request: IncomingMessage, response: ServerResponse, body: unknown) {
    const server = new OldServer(identity)
    sellTools(server, sellers['sdk-1'], sale)
    const transport = new StreamableHTTPServerTransport({})
    response.on('close', () => void server.close())
    // The class declares optional members that its interface does not allow to be undefined.
    await server.connect(transport as Parameters<OldServer['connect']>[0])
    await transport.handleRequest(request, response, body)
  }

  const http = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    const body = method === 'POST' ? await json(request) : undefined
    if (path === '/sdk-1') return answerOld(request, response, body)
    const handler = handlers[path.slice(1) as keyof typeof handlers]
    const asked = new Request(`http://127.0.0.1${path}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answered = await handler.fetch(asked)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    for await (const chunk of answered.body ?? []) response.write(chunk)
    return response.end()
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  opened.defer(() => void http.close().closeAllConnections())
  const { port } = http.address() as AddressInfo

  const wallet = stockClient(stack.localnet, buyer).register(
    network,
    new UptoStellarScheme(createEd25519Signer(buyer.secret, network), {
      url: stack.localnet.rpcUrl,
    }),
  )
  const ledger = ledgerReader(stack.localnet.httpUrl, stack.localnet.network.passphrase)
  const open = opened.move()
  return {
    stack,
    seller,
    resources,
    counter,
    settlements,
    errors,
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    pay: (required) => wallet.createPaymentPayload(required),
    received: () => ledger.usdc(seller.address),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
