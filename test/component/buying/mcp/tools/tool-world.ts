import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { Budget } from '../../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../../src/buying/budget/open-payments.ts'
import { createMcpServer } from '../../../../../src/buying/mcp/create-server.ts'
import { httpFacts } from '../../../../../src/buying/mcp/facts/http-facts.ts'
import { callPaidTool } from '../../../../../src/buying/mcp/payment/call-paid-tool.ts'
import { listPayments } from '../../../../../src/buying/mcp/payment/list-payments.ts'
import { payAndCall } from '../../../../../src/buying/mcp/payment/pay-and-call.ts'
import type { NamedServer } from '../../../../../src/buying/mcp/seller/named-servers.ts'
import { sellers } from '../../../../../src/buying/mcp/seller/sellers.ts'
import { walletOf } from '../../../../../src/buying/sign/sign-payment.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { connect, type McpClient } from '../../../../support/mcp-clients.ts'
import { type StockSeller, stockSeller } from '../../../../support/stock/paid-mcp-server.ts'
import { type BuyerWorld, buyerWorld } from '../../buyer-world.ts'

const network = 'stellar:testnet'

export interface ToolWorld extends AsyncDisposable {
  readonly buyer: BuyerWorld
  readonly seller: StockSeller
  /** An agent with the wallet of the buyer, and its budget of this many base units. */
  agent(limit: bigint): Promise<{ readonly client: McpClient; readonly budget: Budget }>
}

/** @param servers MCP servers on standard input and output that the agents may call */
export async function toolWorld(
  servers: (buyer: BuyerWorld) => ReadonlyMap<string, NamedServer>,
): Promise<ToolWorld> {
  await using opened = new AsyncDisposableStack()
  const buyer = opened.use(await buyerWorld())
  const folder = await mkdtemp(join(tmpdir(), 'svc-tools-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const { stack } = buyer
  const sale = { facilitatorUrl: stack.baseUrl, payTo: buyer.seller.address }
  const seller = await stockSeller(sale)
  const http = opened.use(sellers({ reach: 'loopback_too', servers: servers(buyer) }))
  const wallet = walletOf(buyer.buyer.secret, network, stack.localnet.rpcUrl)
  const facts = httpFacts({ facilitator: stack.baseUrl, clock: systemClock })
  let files = 0
  const resources = opened.move()
  return {
    buyer,
    seller,
    async agent(limit) {
      const file = join(folder, `budget-${files++}.sqlite`)
      const budget = resources.use(new Budget({ file, limit, clock: systemClock }))
      const open = resources.use(new OpenPayments({ budget, rpcUrl: wallet.rpcUrl }))
      const paying = { http, wallet, network, budget, open, clock: systemClock } as const
      const moreTools = [payAndCall(paying), callPaidTool(paying), listPayments({ budget, open })]
      const server = createMcpServer({ version: '1', facts, moreTools })
      const [end, far] = InMemoryTransport.createLinkedPair()
      await server.connect(far)
      return { client: resources.use(await connect('sdk 1', { end })), budget }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
