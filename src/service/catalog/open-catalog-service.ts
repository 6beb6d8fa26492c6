import { defaultTimings } from '../../payments/engine/timings.ts'
import { exposeHealth } from '../../payments/health/route.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { CatalogServiceConfig } from '../../settings/catalog.ts'
import { openRpcPool } from '../networks/open-rpc-pool.ts'
import { watchHealth } from '../networks/watch-health.ts'
import type { Service, ServiceDeps } from '../server/run-service.ts'
import { openCatalog } from './open-catalog.ts'

/** The service of `svc catalog`: `/discovery`, the work of the catalog, and its members of `/health`; no payments. */
export async function openCatalogService(
  config: CatalogServiceConfig,
  deps: ServiceDeps,
): Promise<Service> {
  const { logger: log, stop, clock, metrics, store } = deps
  await using opened = new AsyncDisposableStack()
  const pools = Promise.all(
    config.networks.map(async (network) => {
      const rpc = await openRpcPool(network, { clock, log, metrics, timings: defaultTimings })
      return [network.id, rpc] as const
    }),
  )
  const rpcs = new Map(await untilAborted(stop, pools))
  const catalog = opened.use(
    await openCatalog({
      ...deps,
      config: config.catalog,
      trustedProxyHops: config.trustedProxyHops,
      version: config.version,
      rpcs,
    }),
  )
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('the catalog is stopping')))
  const { health } = watchHealth(
    [],
    { store, clock, log, metrics, timings: defaultTimings, signal: ending.signal },
    { version: config.version, hasCatalog: true },
  )
  const resources = opened.move()
  return {
    // Catalog pods mount no digests: all their callers are limited by address.
    keys: new ApiKeys(clock),
    routes: (app) => {
      catalog.routes(app)
      exposeHealth(app, health)
    },
    checks: catalog.checks,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
