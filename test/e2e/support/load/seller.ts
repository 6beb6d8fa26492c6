/** A stock seller: Express, the stock middleware, and the repeats of docs/sellers.md. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import type { StockPackages } from './stock-packages.ts'

export interface SellerSettings {
  readonly facilitatorUrl: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  /** Undefined where the facilitator wants none. */
  readonly apiKey: () => string | undefined
}

const REPEATS = 5
const PAUSE_MS = 1_000

/** Starts it and answers the address of its goods, which `?amount=` prices in base units of USDC. */
export async function startSeller(
  { express, middleware, server, stellarServer }: StockPackages,
  { facilitatorUrl, payTo, maxTimeoutSeconds, apiKey }: SellerSettings,
): Promise<string> {
  const facilitator = new server.HTTPFacilitatorClient({
    url: facilitatorUrl,
    createAuthHeaders: async () => {
      const key = apiKey()
      const headers: Record<string, string> = key === undefined ? {} : { 'X-API-Key': key }
      return { verify: headers, settle: headers, supported: headers }
    },
  })
  // As docs/sellers.md says under "Settle again what has no final answer".
  const settle = facilitator.settle.bind(facilitator)
  facilitator.settle = async (...payment) => {
    for (let repeats = REPEATS; ; repeats--) {
      try {
        const result = await settle(...payment)
        if (result.errorReason !== 'settlement_pending' || repeats === 0) return result
      } catch (error) {
        if (repeats === 0) throw error
      }
      await sleep(PAUSE_MS)
    }
  }
  // The newest line reads these two members, and @x402/stellar 2.9.0 lacks them.
  const scheme = Object.assign(new stellarServer.ExactStellarScheme(), {
    defaultAssetTransferMethod: 'default',
    paymentFlows: { default: { supported: ['authorization'], default: 'authorization' } },
  })
  const resources = new middleware.x402ResourceServer(facilitator).register(
    'stellar:testnet',
    scheme,
  )
  const app = express()
  app.use(
    middleware.paymentMiddleware(
      {
        'GET /goods': {
          accepts: {
            scheme: 'exact',
            network: 'stellar:testnet',
            payTo,
            price: ({ adapter }) => ({
              asset: usdcContracts['stellar:testnet'],
              amount: String(adapter.getQueryParams?.()['amount']),
            }),
            maxTimeoutSeconds,
          },
          description: 'Goods',
        },
      },
      resources,
    ),
  )
  app.get('/goods', (_request, response) => {
    response.json({ goods: 'here' })
  })
  const listening = createServer(app).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/goods`
}
