import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpDeliveries } from '../http-deliveries.ts'
import type { DeliveryOptions } from '../options.ts'
import { serveOnce } from './serve-once.ts'

/**
 * Middleware for Express: `app.use(deliverOnceExpress(options))` before the payment middleware and before what reads bodies.
 *
 * @throws RangeError for a scope that is no name
 */
export function deliverOnceExpress(options: DeliveryOptions) {
  const deliveries = new HttpDeliveries(options)
  return function deliverOnce(
    request: IncomingMessage & { readonly originalUrl?: string },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    serveOnce(deliveries, request, response).then((serve) => serve?.(next), next)
  }
}
