import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpDeliveries } from '../http-deliveries.ts'
import type { DeliveryOptions } from '../options.ts'
import { serveOnce } from './serve-once.ts'

/**
 * Hook for Fastify: `app.addHook('onRequest', deliverOnceFastify(options))` before the payments are registered.
 *
 * @throws RangeError for a scope that is no name
 */
export function deliverOnceFastify(options: DeliveryOptions) {
  const deliveries = new HttpDeliveries(options)
  return function deliverOnce(
    request: { readonly raw: IncomingMessage },
    reply: { readonly raw: ServerResponse; hijack(): unknown },
    done: (error?: Error) => void,
  ): void {
    serveOnce(deliveries, request.raw, reply.raw).then((serve) => {
      if (serve) serve(done)
      else reply.hijack()
    }, done)
  }
}
