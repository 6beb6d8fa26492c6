import { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { ExplorerServiceConfig } from '../../settings/explorer.ts'
import type { Service, ServiceDeps } from '../server/run-service.ts'
import { explorerRateLimit } from './explorer-rate-limit.ts'
import { openExplorer } from './open-explorer.ts'

/** The service of `svc explorer`: the explorer alone. */
export async function openExplorerService(
  { explorer: config, store: from, trustedProxyHops, publicUrl, version }: ExplorerServiceConfig,
  deps: ServiceDeps,
): Promise<Service> {
  const explorer = await openExplorer({
    ...deps,
    config,
    from,
    trustedProxyHops,
    publicUrl,
    version,
  })
  return {
    ...explorer,
    // Nothing of the explorer needs a key.
    keys: new ApiKeys(deps.clock),
    hasOwnDocument: true,
    rateLimit: explorerRateLimit(config, { ...deps, trustedProxyHops }),
  }
}
