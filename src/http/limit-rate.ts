import type { FastifyInstance } from 'fastify'
import { Fault } from '../core/faults.ts'
import { clientAddress } from './client-address.ts'
import type { RateLimiter, RateVerdict } from './rate-limiter.ts'

export interface RateLimitOptions {
  readonly limiter: RateLimiter
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  readonly onRefused?: () => void
}

/**
 * Refuses, before anything of it is read, a request whose client has made too many in this minute.
 * Requests that no route takes count too.
 */
export function limitRate(
  app: FastifyInstance,
  { limiter, trustedProxyHops, onRefused }: RateLimitOptions,
): void {
  app.addHook('onRequest', function refuseTooMany(request, reply, done) {
    if (request.routeOptions.config.isProbe) return done()
    const judge = (verdict: RateVerdict) => {
      if ('mayPass' in verdict) return done()
      onRefused?.()
      reply.header('retry-after', verdict.retryAfterSeconds)
      done(new Fault('rate_limited'))
    }
    const verdict = limiter.take(clientAddress(request.raw, trustedProxyHops))
    if (verdict instanceof Promise) verdict.then(judge).catch(done)
    else judge(verdict)
  })
}
