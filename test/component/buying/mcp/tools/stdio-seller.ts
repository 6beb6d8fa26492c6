/* A program that serves the paid tool on standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { honest, paidMcpServer, stockSeller } from '../../../../support/stock/paid-mcp-server.ts'

const { FACILITATOR_URL: facilitatorUrl = '', PAY_TO: payTo = '', BUYER_SECRET } = process.env
if (BUYER_SECRET !== undefined) throw new Error('the seed of the buyer reached another program')
const seller = await stockSeller({ facilitatorUrl, payTo })
const seen = { payments: [], calls: 0 }
serveStdio(() => paidMcpServer(seller, honest, seen))
