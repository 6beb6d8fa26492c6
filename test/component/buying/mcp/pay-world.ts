import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { expect } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import { createMcpServer } from '../../../../src/buying/mcp/create-server.ts'
import { httpFacts } from '../../../../src/buying/mcp/facts/http-facts.ts'
import { openWallet, walletPlan } from '../../../../src/commands/buying/mcp/wallet.ts'
import type { DemoState } from '../../../../src/demo/state/demo-state.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { connect, type Generation, type McpClient } from '../../../support/mcp-clients.ts'
import { type DemoWorld, openDemo } from './demo-world.ts'

export type PaymentRequired = { accepts: Record<string, unknown>[] } & Record<string, unknown>

type Behave = (
  request: IncomingMessage,
  response: ServerResponse,
  /** The price of the demo, which the seller may change. */
  required: PaymentRequired,
) => unknown

/** A seller who behaves as a test says. */
interface Seller {
  readonly url: string
  readonly requests: number
  /** Headers with signed payments. */
  readonly payments: readonly string[]
  /** Connections that are open now. */
  readonly connections: number
}

export interface PayWorld extends AsyncDisposable {
  readonly demo: DemoWorld
  /** Of a test alone, outside of the folder that the demo clears. */
  budgetFile(): string
  /** Reads a budget as the next process would. */
  readBudget(file: string): Pick<Budget, 'state' | 'payments'>
  /** What `svc mcp` serves with the wallet of the demo's buyer, served in this process, and an official client of it. */
  agent(budget: string, options?: AgentOptions): Promise<McpClient>
  /** The same, with `svc mcp` as a process of its own. */
  agentProcess(budget: string, options?: AgentOptions): Promise<McpClient>
  /** Arguments and variables of such a program. */
  program(budget: string, file: string): { args: string[]; env: Record<string, string> }
  seller(behave: Behave, of?: 'paidUrl' | 'meteredUrl'): Promise<Seller>
  /** Settles a signed payment through the demo's facilitator, as a seller can at any time. @returns its transaction */
  settle(payment: string, amount?: string): Promise<string>
  /** Transactions in which the demo's buyer paid, newest first, as far as the explorer has read. */
  paymentsOfBuyer(): Promise<readonly string[]>
}

interface AgentOptions {
  readonly file?: string
  readonly generation?: Generation
}

export async function openPayWorld(): Promise<PayWorld> {
  await using opened = new AsyncDisposableStack()
  const demo = opened.use(await openDemo())
  let files = 0
  const budgetFile = () => join(demo.folder, '..', `budget-${files++}.sqlite`)
  const program: PayWorld['program'] = (budget, file) => ({
    args: ['--dir', demo.folder, '--budget', budget, '--budget-file', file],
    env: walletOf(demo.state),
  })
  const resources = opened.move()
  return {
    demo,
    budgetFile,
    program,
    readBudget: (file) => resources.use(new Budget({ file, limit: 10n ** 9n, clock: systemClock })),
    agent: (budget, { file = budgetFile(), generation = 'sdk 2' } = {}) =>
      agentHere(demo.state, { budget, file, generation }),
    agentProcess: async (budget, { file = budgetFile(), generation = 'sdk 2' } = {}) =>
      connect(generation, program(budget, file)),
    seller: async (behave, of = 'paidUrl') => {
      const header = (await fetch(demo.state[of])).headers.get('payment-required') ?? ''
      return resources.use(await openSeller(behave, decoded(header)))
    },
    settle: async (payment, amount) => {
      const paymentPayload = decoded(payment)
      const accepted = Object(paymentPayload['accepted'])
      const paymentRequirements = { ...accepted, ...(amount !== undefined && { amount }) }
      const answer = await fetch(`${demo.state.facilitatorUrl}/settle`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements }),
      })
      const settled = (await answer.json()) as { success: boolean; transaction: string }
      expect(settled).toMatchObject({ success: true })
      return settled.transaction
    },
    paymentsOfBuyer: async () => {
      const { explorerUrl, buyer } = demo.state
      const answer = await fetch(`${explorerUrl}/feed?buyer=${buyer.address}&limit=100`)
      const { items } = (await answer.json()) as { items: { txHash: string }[] }
      return items.map(({ txHash }) => txHash)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const walletOf = ({ buyer }: DemoState) => ({ BUYER_SECRET: buyer.secret })

/** Put together as `svc mcp` does it, over a pair in memory in place of standard input and output. */
async function agentHere(
  demo: DemoState,
  { budget, file, generation }: Required<AgentOptions> & { budget: string },
): Promise<McpClient> {
  await using opened = new AsyncDisposableStack()
  const variables = walletOf(demo)
  const flags = { budget, budgetFile: file, rpc: undefined, network: undefined }
  const plan = walletPlan(flags, demo, variables)
  if (!plan) throw new Error('no wallet is named')
  const { tools } = opened.use(await openWallet(plan, variables))
  const { facilitatorUrl: facilitator, explorerUrl: explorer } = demo
  const facts = httpFacts({ facilitator, explorer, clock: systemClock })
  const [end, transport] = InMemoryTransport.createLinkedPair()
  const served = serveStdio(() => createMcpServer({ version: '1.0.0', facts, moreTools: tools }), {
    transport,
  })
  opened.defer(() => served.close())
  const client = opened.use(await connect(generation, { end }))
  const resources = opened.move()
  return { ...client, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const decoded = (header: string): PaymentRequired =>
  JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentRequired

async function openSeller(
  behave: Behave,
  required: PaymentRequired,
): Promise<Seller & AsyncDisposable> {
  let requests = 0
  let connections = 0
  const payments: string[] = []
  const server = createServer((request, response) => {
    requests += 1
    const payment = request.headers['payment-signature']
    if (typeof payment === 'string') payments.push(payment)
    behave(request, response, structuredClone(required))
  })
  server.on('connection', (socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/paid`,
    get requests() {
      return requests
    },
    get connections() {
      return connections
    },
    payments,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const quote = (response: ServerResponse, required: PaymentRequired): void => {
  response.writeHead(402, { 'payment-required': encoded(required) }).end('{}')
}

/** The answer to a paid call. */
export const served = (response: ServerResponse, settlement: object): void => {
  response.writeHead(200, { 'payment-response': encoded(settlement) }).end('sunny')
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

export const changed = (required: PaymentRequired, members: object): PaymentRequired => ({
  ...required,
  accepts: required.accepts.map((each) => ({ ...each, ...members })),
})
