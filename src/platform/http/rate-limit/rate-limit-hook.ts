import type { FastifyInstance, FastifyRequest } from 'fastify'
import { apiKeySubject } from '../../core/api-key-entry.ts'
import { Fault } from '../../core/errors/faults.ts'
import type { ApiKeys } from '../access/api-keys.ts'
import { clientAddress } from './client-address.ts'
import type { RateDecision, RateLimiter } from './rate-limiter.ts'

export interface RateLimitOptions {
  /** Limits the requests without an accepted API key, by client address; absent: nothing does. */
  readonly byAddress: RateLimiter | undefined
  /** Limits the requests with an accepted API key, by key; absent: nothing does. */
  readonly byKey: RateLimiter | undefined
  readonly keys: Pick<ApiKeys, 'identify'>
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  readonly onRefused?: () => void
}

/**
 * Refuses a request whose client is over its limit, before anything of it but its headers is read.
 * Requests that no route takes count too; probes do not. Only an accepted key has a count of its own:
 * a caller who could choose the count, with any text for a key, would have no limit.
 */
export function addRateLimit(app: FastifyInstance, options: RateLimitOptions): void {
  const { keys, onRefused } = options
  app.addHook('onRequest', function refuseOverLimit(request, reply, done) {
    if (request.routeOptions.config.isProbe) return done()
    const digest = keys.identify(request.headers)
    const decision =
      digest === undefined ? takeByAddress(options, request) : takeByKey(options, digest)
    const apply = (decided: RateDecision) => {
      if ('mayPass' in decided) return done()
      onRefused?.()
      reply.header('retry-after', decided.retryAfterSeconds)
      const whose = digest === undefined ? 'from this address' : 'with this API key'
      done(new Fault('rate_limited', { reason: `too many requests ${whose} in this minute` }))
    }
    if (decision instanceof Promise) decision.then(apply).catch(done)
    else apply(decision)
  })
}

type Decision = RateDecision | Promise<RateDecision>

const takeByAddress = (
  { byAddress, trustedProxyHops }: RateLimitOptions,
  { raw }: FastifyRequest,
): Decision => byAddress?.take(clientAddress(raw, trustedProxyHops)) ?? { mayPass: true }

/** No address looks like the name of a key. */
const takeByKey = ({ byKey }: RateLimitOptions, digest: string): Decision =>
  byKey?.take(apiKeySubject(digest)) ?? { mayPass: true }
