/** The metered path of the sample API: the longer its answer, the more it costs. */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import type { RequestHandler } from 'express'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { chargeUpTo } from '../../selling/upto/charge.ts'

export const METERED_PATH = '/forecast'
/** Base units of USDC for each byte of the answer's body: a hundredth of a cent. */
const UNITS_PER_BYTE = 1_000n
/** In US dollars: what a buyer signs, and the most that a call costs. A forecast for a month uses more. */
const CEILING = '$0.02'

const DAYS = 3
const MAX_DAYS = 30
const SKIES = ['sunny', 'cloudy', 'rainy'] as const

export interface Usage {
  readonly bytes: number
  /** Base units of USDC. */
  readonly perByte: bigint
  /** Base units of USDC: more than the ceiling for a long answer, which then costs the ceiling. */
  readonly amount: bigint
}

/** The usage that an answer is charged for. */
export function usageOf(body: string): Usage {
  const bytes = Buffer.byteLength(body)
  return { bytes, perByte: UNITS_PER_BYTE, amount: BigInt(bytes) * UNITS_PER_BYTE }
}

interface Sale {
  readonly network: NetworkId
  readonly payTo: string
  readonly maxTimeoutSeconds: number
}

/** For the stock middleware: the price of the route is the ceiling. `extensions` are those of every route. */
export const meteredRoute = (sale: Sale, extensions: Readonly<Record<string, unknown>>) => ({
  accepts: { scheme: 'upto', price: CEILING, ...sale },
  description: 'The weather of the next days, at a price for each byte of the answer',
  mimeType: 'application/json',
  extensions: {
    ...extensions,
    ...declareDiscoveryExtension({
      input: { days: '7' },
      inputSchema: {
        properties: { days: { type: 'string', description: `Number of days, 1 to ${MAX_DAYS}` } },
      },
      output: { example: forecast(1) },
    }),
  },
})

/** Answers, and has the middleware charge the length of the answer. An answer with an error costs nothing. */
export const answerForecast: RequestHandler = (request, response) => {
  const { days: given = String(DAYS) } = request.query
  const days = /^[1-9]\d?$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(days <= MAX_DAYS)) {
    response.status(400).json({ error: `days is a number from 1 to ${MAX_DAYS}` })
    return
  }
  const body = JSON.stringify(forecast(days))
  chargeUpTo(response, usageOf(body).amount)
  response.type('json').send(body)
}

/** Short, so that the example of three days fits a line of a terminal. */
const forecast = (days: number) => ({
  forecast: Array.from(
    { length: days },
    (_, index) => `${SKIES[index % SKIES.length]} ${21 - (index % 5)}`,
  ),
})
