/** A server of either SDK that sells on standard input and output: `node stdio-program.ts SDK`, with two variables. */
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { toolSeller } from '../../../../src/package/mcp-server.ts'
import { registerUptoStellarScheme } from '../../../../src/selling/upto/register.ts'
import { network, sellTools } from './tools.ts'

const { FACILITATOR_URL: url = '', PAY_TO: payTo = '' } = process.env
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
registerUptoStellarScheme(resources.register(network, new ExactStellarScheme()), network)
const seller = toolSeller({ resources })
const sale = { payTo, counter: { runs: 0 } }
const identity = { name: 'shop', version: '1.0.0' }

if (process.argv[2] === 'sdk 1') {
  const server = new OldServer(identity)
  sellTools(server, seller, sale)
  await server.connect(new StdioServerTransport())
} else {
  serveStdio(() => {
    const server = new McpServer(identity)
    sellTools(server, seller, sale)
    return server
  })
}
