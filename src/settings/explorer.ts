import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { loadSettings } from './load-settings.ts'
import type { Problem } from './parser/config-error.ts'
import type { Variables } from './parser/environment.ts'
import { explorerSettings } from './rows/explorer.ts'
import { explorerServiceSettings, processSettings } from './rows/processes.ts'
import { type MembersOf, membersOf } from './rows/row.ts'
import { explorerNetwork, explorerNetworkSettings } from './sections/explorer-network.ts'
import { type ExplorerConfig, explorerProblems } from './sections/explorer-settings.ts'
import { networkSettings } from './sections/network-settings.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'
import { portProblems } from './serve.ts'

/** The configuration of `svc explorer`: no secret of a sponsor, since it signs nothing. */
export interface ExplorerServiceConfig extends MembersOf<typeof explorerServiceSettings> {
  readonly store: StoreConfig
  readonly explorer: ExplorerConfig
}

/** Reads the environment of `svc explorer`. Throws `ConfigError` with every problem in it. */
export function loadExplorerConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ExplorerServiceConfig {
  const { settings, networks } = loadSettings(
    {
      table: processSettings.explorer,
      networkTable: {
        RPC_URL: networkSettings.RPC_URL,
        RPC_HEADERS: networkSettings.RPC_HEADERS,
        ALLOW_HTTP: networkSettings.ALLOW_HTTP,
        ...explorerNetworkSettings,
      },
      problems: (service, ids) => [
        ...memoryProblems(service.settings.STORE),
        ...storeProblems(service),
        ...portProblems(service.settings, ['ADMIN_PORT', 'EXPLORER_PORT']),
        ...explorerProblems(service, ids),
      ],
    },
    { variables, readFile },
  )
  return deepFreeze({
    ...membersOf(explorerServiceSettings, settings),
    store: storeConfig(settings),
    explorer: {
      ...membersOf(explorerSettings, settings),
      networks: networks.map(({ id, settings: own }) => explorerNetwork(id, own)),
    },
  })
}

const memoryProblems = (store: StoreConfig['kind'] | undefined): Problem[] =>
  store === 'memory'
    ? [
        {
          variable: 'STORE',
          message:
            'must be postgres: every replica of the explorer reads what one of them writes; svc serve may use memory',
        },
      ]
    : []
