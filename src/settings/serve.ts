import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { loadSettings } from './load-settings.ts'
import type { Problem } from './parser/config-error.ts'
import type { Variables } from './parser/environment.ts'
import type { ParsedSettings } from './parser/settings.ts'
import { explorerSettings } from './rows/explorer.ts'
import { serveSettings } from './rows/processes.ts'
import { type MembersOf, membersOf } from './rows/row.ts'
import { serviceSettings } from './rows/service.ts'
import { type ApiKeyConfig, apiKeyConfig, apiKeyProblems } from './sections/api-keys.ts'
import { type CatalogConfig, catalogConfig, catalogProblems } from './sections/catalog-settings.ts'
import { explorerNetwork } from './sections/explorer-network.ts'
import { type ExplorerConfig, explorerProblems } from './sections/explorer-settings.ts'
import { type NetworkConfig, networkConfig, networkSettings } from './sections/network-settings.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'

/** The configuration of `svc serve`. */
export interface ServeConfig extends MembersOf<typeof serviceSettings> {
  readonly apiKeys: ApiKeyConfig
  readonly store: StoreConfig
  /** Undefined: paid resources are not listed. */
  readonly catalog: CatalogConfig | undefined
  /** Undefined: this process neither reads the ledger for the explorer nor serves it. */
  readonly explorer: ExplorerConfig | undefined
  /** The networks in the order of `NETWORKS`; never empty. */
  readonly networks: readonly NetworkConfig[]
}

/** Reads the environment of `svc serve`. Throws `ConfigError` with every problem in it. */
export function loadServeConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ServeConfig {
  const { settings, variable, networks } = loadSettings(
    {
      table: serveSettings,
      networkTable: networkSettings,
      problems: (service, ids) => [
        ...storeProblems(service),
        ...serveProblems(service),
        ...catalogProblems(service, ids),
        ...(service.settings.EXPLORER_ENABLED ? explorerProblems(service, ids) : []),
      ],
      problemsWithNetworks: (service, parsed) =>
        apiKeyProblems(
          service.settings.API_KEY_SHA256,
          service.variable('API_KEY_SHA256'),
          parsed.map(({ id, settings: { REQUIRE_API_KEY: requireApiKey = false } }) => ({
            id,
            requireApiKey,
          })),
        ),
    },
    { variables, readFile },
  )
  return deepFreeze({
    ...membersOf(serviceSettings, settings),
    apiKeys: apiKeyConfig(settings.API_KEY_SHA256, variable('API_KEY_SHA256'), variables),
    store: storeConfig(settings),
    catalog: settings.BAZAAR_ENABLED ? catalogConfig(settings) : undefined,
    explorer: settings.EXPLORER_ENABLED
      ? {
          ...membersOf(explorerSettings, settings),
          networks: networks.map(({ id, settings: own }) => explorerNetwork(id, own)),
        }
      : undefined,
    networks: networks.map(({ id, settings: own }) => networkConfig(id, own)),
  })
}

function serveProblems({ settings }: ParsedSettings<typeof serveSettings>): Problem[] {
  const problems: Problem[] = []
  if (settings.STORE === 'memory' && settings.NETWORKS?.includes('stellar:pubnet')) {
    problems.push({
      variable: 'STORE',
      message: 'must not be memory with stellar:pubnet: a restart would forget payments',
    })
  }
  const ports = settings.EXPLORER_ENABLED
    ? (['PORT', 'ADMIN_PORT', 'EXPLORER_PORT'] as const)
    : (['PORT', 'ADMIN_PORT'] as const)
  return [...problems, ...portProblems(settings, ports)]
}

/** Each server of a process needs a port of its own. A port is reported once, under the later variable. */
export function portProblems<Name extends string>(
  settings: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Problem[] {
  return names.flatMap((variable, index) => {
    const port = settings[variable]
    if (port === 0 || port === undefined) return []
    const first = names.slice(0, index).find((name) => settings[name] === port)
    return first === undefined ? [] : [{ variable, message: `must differ from ${first} (${port})` }]
  })
}
