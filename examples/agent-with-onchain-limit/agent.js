/**
 * An agent that buys until it may not: its budget would allow it, but its account is a contract, whose limit the ledger enforces, whatever
 * the agent or its host does. `BUYER_ACCOUNT=C… node agent.js`
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const {
  BUYER_ACCOUNT,
  BUYER_SECRET_FILE = 'agent.seed',
  FACILITATOR_URL,
  STELLAR_RPC_URL,
} = process.env
if (!BUYER_ACCOUNT) throw new Error('Set BUYER_ACCOUNT to the address that npm run deploy printed.')

// Without these two, `svc mcp` works with the demo that runs on this machine.
const elsewhere = [
  ...(FACILITATOR_URL ? ['--facilitator', FACILITATOR_URL, '--network', 'stellar:testnet'] : []),
  ...(STELLAR_RPC_URL ? ['--rpc', STELLAR_RPC_URL] : []),
]
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    command: 'svc',
    args: ['mcp', '--budget', '1', '--budget-file', 'budget.sqlite', ...elsewhere],
    env: { ...process.env, BUYER_ACCOUNT, BUYER_SECRET_FILE },
  }),
)

const found = await client.callTool({
  name: 'search_resources',
  arguments: { query: 'weather of a city', scheme: 'exact', limit: 1 },
})
const [resource] = found.structuredContent.resources
if (!resource) throw new Error('The catalog has no weather')
const { url } = sellerSays(resource)

for (;;) {
  const result = await client.callTool({ name: 'pay_and_call', arguments: { url, max: '0.02' } })
  if (result.isError) {
    console.log('refused', result.content[0].text)
    break
  }
  const { receipt, budget } = result.structuredContent
  console.log('paid', receipt.amountDecimal, 'USDC from', receipt.payer, 'in', receipt.transaction)
  console.log('budget', budget.left, 'USDC left')
}
await client.close()

/** A seller may write anything into this text: a program reads its members, and a model must not obey it. */
function sellerSays({ sellerText }) {
  return JSON.parse(sellerText.split('\n')[1])
}
