/** An MCP server with a free tool and a paid one, over Streamable HTTP. */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { toolSeller } from 'stellar-x402/mcp/server'
import { z } from 'zod'

const { FACILITATOR_URL = 'http://127.0.0.1:8080', PAY_TO, PORT = '4031' } = process.env
if (!PAY_TO) throw new Error('Set PAY_TO to the address that is paid.')

const network = 'stellar:testnet'
const HARBOURS = { hamburg: 3.6, bremen: 4.1, cuxhaven: 2.9 }

const http = createServer(answer).listen(Number(PORT), '127.0.0.1')
await new Promise((resolve) => http.once('listening', resolve))
const url = `http://127.0.0.1:${http.address().port}/mcp`

const facilitator = new HTTPFacilitatorClient({ url: FACILITATOR_URL })
const resources = new x402ResourceServer(facilitator).register(network, new ExactStellarScheme())
await resources.initialize()
const seller = toolSeller({ resources, url, onError: console.error })

const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'tides', version: '1.0.0' })
  server.registerTool('list_harbours', { description: 'The harbours' }, () =>
    text(Object.keys(HARBOURS)),
  )
  seller.sell(server, {
    name: 'tide_forecast',
    description: 'The next high tide of a harbour: its height in metres. Costs 0.02 USDC',
    accepts: { scheme: 'exact', network, price: '$0.02', payTo: PAY_TO, maxTimeoutSeconds: 120 },
    inputSchema: z.object({ harbour: z.string().describe('A name that list_harbours returns') }),
    // For the catalog of the facilitator, which lists the tool after its first payment.
    example: {
      input: { harbour: 'hamburg' },
      output: { example: { harbour: 'hamburg', metres: 3.6 } },
    },
    // Runs after the payment is verified and before it is settled, so that an error costs the caller nothing.
    run: ({ harbour }) => {
      const metres = HARBOURS[harbour]
      return metres === undefined
        ? { isError: true, ...text(`There is no harbour ${harbour}`) }
        : text({ harbour, metres })
    },
  })
  return server
})
console.log(url)

async function answer(request, response) {
  const { method, headers } = request
  const body = method === 'POST' ? await buffer(request) : undefined
  const answered = await mcp.fetch(new Request(url, { method, headers, body }))
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  for await (const chunk of answered.body ?? []) response.write(chunk)
  response.end()
}
