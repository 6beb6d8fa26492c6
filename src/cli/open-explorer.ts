import type { ExplorerConfig } from '../config/explorer-settings.ts'
import type { StoreConfig } from '../config/store-settings.ts'
import type { NetworkId } from '../core/caip2.ts'
import type { NetworkRpc } from '../facilitator/served-network.ts'
import type { ReadinessChecks } from '../http/readiness.ts'
import type { HttpServer } from '../http/server.ts'
import { openReadStore } from './open-read-store.ts'
import type { ServiceDeps } from './run-service.ts'

export interface ExplorerParts extends Omit<ServiceDeps, 'tracer'> {
  readonly config: ExplorerConfig
  /** How `store` was opened. */
  readonly from: StoreConfig
  /** Of the networks whose ledgers this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, NetworkRpc>
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  /** Of the build. */
  readonly version: string
}

/** A running explorer. Disposing of it ends its background work. */
export interface Explorer extends AsyncDisposable {
  /** Adds the API and the pages to the server. */
  readonly routes: (app: HttpServer['app']) => void
  /** Its checks of `/ready`. */
  readonly checks: ReadinessChecks
}

/**
 * Builds the explorer from its modules. Several processes may run it over one store: one of them ingests, all of them
 * serve.
 */
export async function openExplorer(parts: ExplorerParts): Promise<Explorer> {
  const { config, from, store } = parts
  await using opened = new AsyncDisposableStack()
  const readStore = opened.use(await openReadStore(config, from, store))
  const resources = opened.move()
  return {
    routes: () => undefined,
    checks: { explorer: () => readStore.ping().then(() => undefined) },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
