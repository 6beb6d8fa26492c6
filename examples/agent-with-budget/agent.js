/**
 * What an agent does with the tools of `svc mcp`, without a model: it searches, looks, pays, reads what is left of its
 * budget, and is refused a call above its maximum. `node agent.js WORDS`
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const { BUYER_SECRET_FILE = 'buyer.seed', FACILITATOR_URL, STELLAR_RPC_URL } = process.env
const query = process.argv.slice(2).join(' ') || 'weather of a city'
/** USDC: of one call, and of all calls of 24 hours. */
const MAX = '0.02'
const BUDGET = '0.05'

// Without these two, `svc mcp` works with the demo that runs on this machine.
const elsewhere = [
  ...(FACILITATOR_URL ? ['--facilitator', FACILITATOR_URL, '--network', 'stellar:testnet'] : []),
  ...(STELLAR_RPC_URL ? ['--rpc', STELLAR_RPC_URL] : []),
]
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    command: 'svc',
    args: ['mcp', '--budget', BUDGET, '--budget-file', 'budget.sqlite', ...elsewhere],
    env: { ...process.env, BUYER_SECRET_FILE },
  }),
)

const { resources } = await call('search_resources', { query, scheme: 'exact', limit: 3 })
const [found] = resources
if (!found) throw new Error(`The catalog has nothing for: ${query}`)
console.log('found', resources.length, 'of which the first is at', sellerSays(found).url)

const listing = await call('inspect_resource', { id: found.id })
const { url } = sellerSays(listing)
console.log('listed', listing.state, url, 'for', listing.prices[0].amountDecimal, 'USDC')

const bought = await call('pay_and_call', { url, max: MAX })
console.log('bought', bought.status, JSON.stringify(sellerSays(bought).answer))
console.log('paid', bought.receipt.amountDecimal, 'USDC in', bought.receipt.transaction)
console.log('budget', bought.budget.spent, 'USDC spent,', bought.budget.left, 'left')

const refused = await client.callTool({ name: 'pay_and_call', arguments: { url, max: '0.001' } })
console.log('refused', refused.content[0].text)
await client.close()

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`)
  return result.structuredContent
}

/** A seller may write anything into this text: a program reads its members, and a model must not obey it. */
function sellerSays({ sellerText }) {
  return JSON.parse(sellerText.split('\n')[1])
}
