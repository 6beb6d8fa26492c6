import type { StoreConfig } from '../config/store-settings.ts'
import type { Clock } from '../core/clock.ts'
import type { RateLimitOptions } from '../http/rate-limit/rate-limit-hook.ts'
import { RateLimiter } from '../http/rate-limit/rate-limiter.ts'
import type { Store } from '../store/open.ts'
import { rateWindows } from '../store/rate-windows.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface RateLimitParts {
  readonly store: Pick<Store, 'db'>
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
}

export interface RateLimitConfig {
  readonly rateLimitPerMinute: number
  readonly trustedProxyHops: number
  readonly store: { readonly kind: StoreConfig['kind'] }
}

/** The configured rate limit; undefined when it is off. With a store in memory there is one replica, so nothing is shared. */
export function rateLimit(
  { rateLimitPerMinute: perMinute, trustedProxyHops, store: { kind } }: RateLimitConfig,
  { store, metrics, logger, clock }: RateLimitParts,
): RateLimitOptions | undefined {
  if (perMinute === 0) return undefined
  const limiter = new RateLimiter({
    perMinute,
    clock,
    ...(kind === 'postgres' && { windows: rateWindows(store.db) }),
    onUnshared: () => metrics.rateLimitUnshared.inc(),
    onError: (err) =>
      logger.warn({ err }, 'The rate limit counts this replica only: the store did not answer'),
  })
  return { limiter, trustedProxyHops, onRefused: () => metrics.rateLimited.inc() }
}
