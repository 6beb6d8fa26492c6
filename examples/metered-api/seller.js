/** Sells a table of exchange rates; a call costs what its answer is long. */
import { HTTPFacilitatorClient } from '@x402/core/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { declareHttp } from 'stellar-x402/bazaar'
import { chargeUpTo, registerUptoStellarScheme } from 'stellar-x402/upto/server'

const { FACILITATOR_URL = 'http://127.0.0.1:8080', FACILITATOR_API_KEY, PAY_TO } = process.env
const { PORT = '4030' } = process.env
if (!PAY_TO) throw new Error('Set PAY_TO to the address that is paid.')

const network = 'stellar:testnet'
/** What the buyer authorizes: the most that a call can cost. */
const CEILING = '$0.05'
/** Base units of USDC, of which 10,000,000 are one USDC: 0.001 USDC for each kilobyte begun. */
const UNITS_PER_KIB = 10_000
/** The table of so many days is shorter than 50 kilobytes, and so within the ceiling. */
const MAX_DAYS = 1_500

const headers = FACILITATOR_API_KEY ? { authorization: `Bearer ${FACILITATOR_API_KEY}` } : {}
const facilitator = new HTTPFacilitatorClient({
  url: FACILITATOR_URL,
  createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
})
const resources = new x402ResourceServer(facilitator)
registerUptoStellarScheme(resources, network)

const price = { scheme: 'upto', network, price: CEILING, payTo: PAY_TO, maxTimeoutSeconds: 120 }
const rates = {
  accepts: price,
  description: 'Exchange rates of the euro by day as CSV, 0.001 USDC a kilobyte',
  mimeType: 'text/csv',
  extensions: declareHttp({
    method: 'GET',
    query: {
      example: { days: '30' },
      schema: {
        properties: { days: { type: 'string', description: `Days, 1 to ${MAX_DAYS}` } },
      },
    },
    output: { type: 'text', example: 'day,usd,gbp\n2026-01-01,1.1012,0.8541\n' },
  }),
}

const app = express()
app.use(paymentMiddleware({ '/rates.csv': rates }, resources))
app.get('/rates.csv', (request, response) => {
  const days = Number(request.query.days ?? 30)
  // An answer of 400 or above is not settled: the buyer pays nothing.
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    return response.status(400).send(`days is a number from 1 to ${MAX_DAYS}\n`)
  }
  const table = tableOf(days)
  // Without this line the middleware settles the ceiling.
  chargeUpTo(response, BigInt(Math.ceil(table.length / 1_024) * UNITS_PER_KIB))
  response.type('csv').send(table)
})
const server = app.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/rates.csv`),
)

function tableOf(days) {
  const rows = Array.from({ length: days }, (_, day) => {
    const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
    return `${date},${(1.1 + Math.sin(day) / 50).toFixed(4)},${(0.85 + Math.cos(day) / 50).toFixed(4)}\n`
  })
  return `day,usd,gbp\n${rows.join('')}`
}
