import type { ExplorerServiceConfig } from '../config/explorer.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { defaultTimings } from '../facilitator/timings.ts'
import { ApiKeys } from '../http/api-keys.ts'
import { openExplorer } from './open-explorer.ts'
import { openRpcPool } from './open-rpc-pool.ts'
import type { Service, ServiceDeps } from './run-service.ts'

/** The service of `svc explorer`: the explorer alone. */
export async function openExplorerService(
  config: ExplorerServiceConfig,
  deps: ServiceDeps,
): Promise<Service> {
  const { logger: log, stop, clock, metrics } = deps
  const pools = Promise.all(
    config.explorer.networks.map(async (network) => {
      const rpc = await openRpcPool(network, { clock, log, metrics, timings: defaultTimings })
      return [network.id, rpc] as const
    }),
  )
  const rpcs = new Map(await untilAborted(stop, pools))
  const { explorer: settings, store: from, trustedProxyHops, version } = config
  const explorer = await openExplorer({
    ...deps,
    config: settings,
    from,
    rpcs,
    trustedProxyHops,
    version,
  })
  return {
    // Nothing of the explorer needs a key.
    keys: new ApiKeys(),
    routes: explorer.routes,
    checks: explorer.checks,
    [Symbol.asyncDispose]: () => explorer[Symbol.asyncDispose](),
  }
}
