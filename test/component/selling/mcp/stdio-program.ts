/**
 * A server of either SDK that sells on standard input and output: `node stdio-program.ts SDK`, with two variables, and the key of the
 * payee in a third one if it signs receipts.
 */
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { toolSeller } from '../../../../src/package/mcp-server.ts'
import { declareReceipts, payToSigner, receipts } from '../../../../src/package/receipts.ts'
import { registerUptoStellarScheme } from '../../../../src/selling/upto/register.ts'
import { network, sellTools } from './tools.ts'

const { FACILITATOR_URL: url = '', PAY_TO: payTo = '', PAY_TO_SECRET: secret } = process.env
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
registerUptoStellarScheme(resources.register(network, new ExactStellarScheme()), network)
const seller = toolSeller({ resources })
if (secret) resources.registerExtension(receipts({ signer: payToSigner(secret) }))
const sale = { payTo, counter: { runs: 0 }, ...(secret && { extensions: declareReceipts() }) }
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
