import type { ExplorerServiceConfig } from '../config/explorer.ts'
import { ApiKeys } from '../http/api-keys.ts'
import { openExplorer } from './open-explorer.ts'
import type { Service, ServiceDeps } from './run-service.ts'

/** The service of `svc explorer`: the explorer alone. */
export async function openExplorerService(
  { explorer: config, store: from, trustedProxyHops, version }: ExplorerServiceConfig,
  deps: ServiceDeps,
): Promise<Service> {
  const explorer = await openExplorer({ ...deps, config, from, trustedProxyHops, version })
  // Nothing of the explorer needs a key.
  return { ...explorer, keys: new ApiKeys(deps.clock), hasOwnDocument: true }
}
