import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/faults.ts'
import { clientAddress } from './client-address.ts'
import type { RateDecision, RateLimiter } from './rate-limiter.ts'

export interface RateLimitOptions {
  readonly limiter: RateLimiter
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  readonly onRefused?: () => void
}

/**
 * Refuses a request whose client is over its limit, before anything of it is read. Requests that no
 * route takes count too; probes do not.
 */
export function addRateLimit(
  app: FastifyInstance,
  { limiter, trustedProxyHops, onRefused }: RateLimitOptions,
): void {
  app.addHook('onRequest', function refuseOverLimit(request, reply, done) {
    if (request.routeOptions.config.isProbe) return done()
    const apply = (decision: RateDecision) => {
      if ('mayPass' in decision) return done()
      onRefused?.()
      reply.header('retry-after', decision.retryAfterSeconds)
      done(new Fault('rate_limited'))
    }
    const decision = limiter.take(clientAddress(request.raw, trustedProxyHops))
    if (decision instanceof Promise) decision.then(apply).catch(done)
    else apply(decision)
  })
}
