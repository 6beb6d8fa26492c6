import type { Server } from 'node:http'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import {
  declarePaymentIdentifierExtension,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import express, { type Express } from 'express'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { deliverOnceExpress } from '../../selling/delivery/http/node/express.ts'
import { MemoryDeliveryStore } from '../../selling/delivery/memory-store.ts'
import {
  declareReceipts,
  type ReceiptsOptions,
  receipts,
} from '../../selling/receipts/extension.ts'
import { registerUptoStellarScheme } from '../../selling/upto/register.ts'
import { IDENTITY_PATH } from '../state/demo-state.ts'
import { answerForecast, METERED_PATH, meteredRoute } from './metered-route.ts'
import { serverTiming } from './server-timing.ts'

/** The path of the sample API that has a fixed price. */
export const PAID_PATH = '/weather'
/** In US dollars; the stock scheme converts it to USDC of the network. */
const PRICE = '$0.01'
const ANSWER = { weather: 'sunny', temperature: 21 }

/**
 * How long a payment may take. The stock buyer assumes 5 s a ledger, so on a network that closes one
 * every second its authorization lives for 24 s only.
 */
const MAX_TIMEOUT_SECONDS = 120

export interface SellerOptions {
  readonly facilitatorUrl: string
  readonly network: NetworkId
  /** The address that is paid: `G...`, `C...` or `M...`. */
  readonly payTo: string
  /** Signs prices and receipts. @default nobody signs them */
  readonly receipts?: ReceiptsOptions
  readonly clock: Clock
}

/**
 * A sample paid API: stock Express, the stock x402 middleware, one route with a fixed price and one with a price for what
 * its answer uses. A buyer who lost an answer gets it again for the same payment, until this process ends. The middleware
 * requests the facilitator's `/supported` as soon as it is made.
 */
export function paidApi({ facilitatorUrl, clock, ...seller }: SellerOptions): Express {
  const { network, payTo } = seller
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl })
  const resources = new x402ResourceServer(facilitator)
    .register(network, new ExactStellarScheme())
    .registerExtension(bazaarResourceServerExtension)
  registerUptoStellarScheme(resources, network)
  if (seller.receipts) resources.registerExtension(receipts(seller.receipts))
  const promises = {
    [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(),
    ...(seller.receipts && declareReceipts()),
  }
  const sale = { network, payTo, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS }
  const routes = {
    // Names no method, so that every method is paid: Express answers HEAD with the handler of GET.
    [PAID_PATH]: {
      accepts: { scheme: 'exact', price: PRICE, ...sale },
      description: 'The weather of a city, for one cent',
      mimeType: 'application/json',
      // Lists the path in the facilitator's catalog once it is paid for.
      extensions: {
        ...promises,
        ...declareDiscoveryExtension({
          input: { city: 'Bremen' },
          inputSchema: {
            properties: { city: { type: 'string', description: 'Name of the city' } },
          },
          output: { example: ANSWER },
        }),
      },
    },
    [METERED_PATH]: meteredRoute(sale, promises),
  }

  const app = express()
  app.disable('x-powered-by')
  app.use(deliverOnceExpress({ scope: 'demo', store: new MemoryDeliveryStore(), resources }))
  app.use(serverTiming(resources, clock))
  app.use(paymentMiddleware(routes, resources))
  app.get(PAID_PATH, (_request, response) => {
    response.json(ANSWER)
  })
  app.get(METERED_PATH, answerForecast)
  return app
}

/**
 * Serves the API on a server that already listens, once `start` has it. From the beginning the server answers
 * the demo's id, so that other processes can tell this demo from any other program on the port.
 */
export function serveApi(server: Server, id: string): { start(app: Express): void } {
  let app: Express | undefined
  server.on('request', (request, response) => {
    if (request.url === IDENTITY_PATH) response.end(id)
    else if (app) app(request, response)
    else response.writeHead(503).end('The demo is starting.\n')
  })
  return {
    start: (started) => {
      app = started
    },
  }
}
