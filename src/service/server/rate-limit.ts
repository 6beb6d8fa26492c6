import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import { rateWindows } from '../../platform/database/rate-windows.ts'
import type { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { RateLimitOptions } from '../../platform/http/rate-limit/rate-limit-hook.ts'
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { StoreConfig } from '../../settings/sections/store-settings.ts'

export interface RateLimitParts {
  readonly store: Pick<Store, 'db'>
  /** The accepted API keys, as they are at each request. */
  readonly keys: ApiKeys
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
}

export interface RateLimitConfig {
  readonly rateLimitPerMinute: number
  readonly rateLimitPerKeyPerMinute: number
  readonly trustedProxyHops: number
  readonly store: { readonly kind: StoreConfig['kind'] }
}

/** The configured rate limits; undefined when both are off. With a store in memory there is one replica, so nothing is shared. */
export function rateLimit(
  config: RateLimitConfig,
  { store, keys, metrics, logger, clock }: RateLimitParts,
): RateLimitOptions | undefined {
  const limiter = (perMinute: number) =>
    perMinute === 0
      ? undefined
      : new RateLimiter({
          perMinute,
          clock,
          ...(config.store.kind === 'postgres' && { windows: rateWindows(store.db) }),
          onUnshared: () => metrics.rateLimitUnshared.inc(),
          onError: (err) =>
            logger.warn(
              { err },
              'The rate limit counts this replica only: the store did not answer',
            ),
        })
  const byAddress = limiter(config.rateLimitPerMinute)
  const byKey = limiter(config.rateLimitPerKeyPerMinute)
  if (!byAddress && !byKey) return undefined
  const { trustedProxyHops } = config
  return { byAddress, byKey, keys, trustedProxyHops, onRefused: () => metrics.rateLimited.inc() }
}
