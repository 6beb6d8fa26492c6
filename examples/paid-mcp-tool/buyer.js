/** Calls the free tool, then the paid one. `node buyer.js URL HARBOUR` */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { x402Client } from '@x402/core/client'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'

const { BUYER_SECRET, STELLAR_RPC_URL = 'https://127.0.0.1:8443' } = process.env
const [url = 'http://127.0.0.1:4031/mcp', harbour = 'hamburg'] = process.argv.slice(2)
if (!BUYER_SECRET) throw new Error('Set BUYER_SECRET to the seed of an account with USDC.')

const network = 'stellar:testnet'
const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
/** Base units: this buyer pays no more than 0.05 USDC for a call. */
const LIMIT = 500_000n

const signer = createEd25519Signer(BUYER_SECRET.trim(), network)
const wallet = new x402Client()
  .register(network, new ExactStellarScheme(signer, { url: STELLAR_RPC_URL }))
  .registerPolicy((_version, prices) =>
    prices.filter(({ asset, amount }) => asset === USDC && BigInt(amount) <= LIMIT),
  )

const client = new Client({ name: 'buyer', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(url)))
print('free', await client.callTool({ name: 'list_harbours', arguments: {} }))
print('paid', await callAndPay({ name: 'tide_forecast', arguments: { harbour } }))
await client.close()

/** Calls a tool, and once more with a payment if it has a price. */
async function callAndPay(call) {
  const first = await client.callTool(call)
  const required = first.structuredContent
  if (!first.isError || required?.x402Version !== 2) return first
  console.log('price', required.accepts[0].amount, 'base units of USDC')
  const payment = await wallet.createPaymentPayload(required)
  return client.callTool({ ...call, _meta: { 'x402/payment': payment } })
}

function print(name, { isError, content, _meta }) {
  console.log(name, isError ? 'failed' : 'answer', content[0].text)
  const receipt = _meta?.['x402/payment-response']
  if (receipt) console.log('transaction', receipt.transaction)
}
