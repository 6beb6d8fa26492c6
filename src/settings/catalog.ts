import type { NetworkId } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import type { RpcHeader } from '../stellar/rpc/rpc-headers.ts'
import { loadSettings } from './load-settings.ts'
import type { Problem } from './parser/config-error.ts'
import type { Variables } from './parser/environment.ts'
import { catalogServiceSettings, processSettings } from './rows/processes.ts'
import { type MembersOf, membersOf } from './rows/row.ts'
import { type CatalogConfig, catalogConfig, catalogProblems } from './sections/catalog-settings.ts'
import { networkSettings } from './sections/network-settings.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'
import { portProblems } from './serve.ts'

/** The configuration of `svc catalog`: no secret of a sponsor, since it signs nothing. */
export interface CatalogServiceConfig extends MembersOf<typeof catalogServiceSettings> {
  readonly store: StoreConfig
  readonly catalog: CatalogConfig
  /** The networks in the order of `NETWORKS`; never empty. */
  readonly networks: readonly CatalogNetwork[]
}

/** A network whose ledger the catalog reads. */
interface CatalogNetwork {
  readonly id: NetworkId
  readonly rpcUrls: readonly string[]
  readonly rpcHeaders: readonly RpcHeader[]
}

const catalogNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  RPC_HEADERS: networkSettings.RPC_HEADERS,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
}

/** Reads the environment of `svc catalog`. Throws `ConfigError` with every problem in it. */
export function loadCatalogConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): CatalogServiceConfig {
  const { settings, networks } = loadSettings(
    {
      table: processSettings.catalog,
      networkTable: catalogNetworkSettings,
      problems: (service, ids) => [
        ...memoryProblems(service.settings.STORE),
        ...storeProblems(service),
        ...portProblems(service.settings, ['PORT', 'ADMIN_PORT']),
        ...catalogProblems(service, ids),
      ],
    },
    { variables, readFile },
  )
  return deepFreeze({
    ...membersOf(catalogServiceSettings, settings),
    store: storeConfig(settings),
    catalog: catalogConfig(settings),
    networks: networks.map(({ id, settings: own }) => ({
      id,
      ...membersOf(catalogNetworkSettings, own),
    })),
  })
}

const memoryProblems = (store: StoreConfig['kind'] | undefined): Problem[] =>
  store === 'memory'
    ? [
        {
          variable: 'STORE',
          message:
            'must be postgres: the catalog lists what other processes settle; svc serve may use memory',
        },
      ]
    : []
