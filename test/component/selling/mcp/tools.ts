import { z } from 'zod'
import type { OfficialServer, PaidTool, ToolSeller } from '../../../../src/package/mcp-server.ts'

export const network = 'stellar:testnet'

/** Base units of USDC. */
export const price = 100_000n
export const ceiling = 500_000n
export const perLetter = 1_000n

interface Sale {
  readonly payTo: string
  /** Of tools with a fixed price. */
  readonly counter: { runs: number }
  /** What these cost. @default '$0.01' */
  readonly dollars?: string
  /** Of the price of `forecast`. */
  readonly extensions?: PaidTool<never>['extensions']
}

/** A tool with a fixed price, one more at the same price, and a metered one. */
export function sellTools(
  server: OfficialServer,
  seller: ToolSeller,
  { payTo, counter, dollars = '$0.01', extensions }: Sale,
): void {
  const fixed = { scheme: 'exact', network, price: dollars, payTo, maxTimeoutSeconds: 120 } as const
  const forecast: PaidTool<{ city: string }> = {
    name: 'forecast',
    title: 'Forecast',
    description: 'The weather of a city tomorrow',
    accepts: fixed,
    extensions,
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ city: z.string(), degrees: z.number() }),
    example: { input: { city: 'Oslo' }, output: { example: { city: 'Oslo', degrees: 4 } } },
    run: ({ city }, { payer }) => {
      counter.runs += 1
      if (city === 'storm') throw new Error('the storm took the antenna')
      if (city === 'nowhere') return { isError: true, content: text('There is no such city') }
      const degrees = city === 'odd' ? 'mild' : 4
      return {
        content: text(`${city} ${degrees}`),
        structuredContent: { city, degrees },
        _meta: { payer },
      }
    },
  }
  seller.sell(server, forecast)
  seller.sell(server, {
    name: 'tides',
    description: 'The next high tide',
    accepts: fixed,
    run: () => {
      counter.runs += 1
      return { content: text('high at noon') }
    },
  })
  seller.sell(server, {
    name: 'story',
    description: 'A story of so many letters',
    accepts: [
      { ...fixed, scheme: 'upto', price: '$0.05' },
      { ...fixed, price: '$0.05' },
    ],
    inputSchema: z.object({ letters: z.number(), fails: z.boolean().optional() }),
    run: ({ letters, fails = false }, { charge }) => {
      const charged = charge(BigInt(letters) * perLetter)
      return { isError: fails, content: text(String(charged)) }
    },
  })
}

const text = (value: string) => [{ type: 'text', text: value }]
