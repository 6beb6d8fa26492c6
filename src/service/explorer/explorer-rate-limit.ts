import type { Clock } from '../../platform/core/time/clock.ts'
import { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { RateLimitOptions } from '../../platform/http/rate-limit/rate-limit-hook.ts'
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { ExplorerConfig } from '../../settings/sections/explorer-settings.ts'

interface ExplorerRateLimitDeps {
  readonly trustedProxyHops: number
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'rateLimited'>
}

/**
 * The limit of each client address; undefined when it is off. Each process counts for itself: a page must not cost the
 * database of payments a write, and what a client sends here is no part of its limit there.
 */
export function explorerRateLimit(
  { rateLimitPerMinute: perMinute }: Pick<ExplorerConfig, 'rateLimitPerMinute'>,
  { trustedProxyHops, clock, metrics }: ExplorerRateLimitDeps,
): RateLimitOptions | undefined {
  if (perMinute === 0) return undefined
  return {
    byAddress: new RateLimiter({ perMinute, clock }),
    byKey: undefined,
    // Nothing of the explorer needs a key.
    keys: new ApiKeys(clock),
    trustedProxyHops,
    onRefused: () => metrics.rateLimited.inc(),
  }
}
