import { type NetworkId, variablePrefixes } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/deep-freeze.ts'
import type { LogLevel } from '../platform/core/log-levels.ts'
import type { Problem } from './parser/config-error.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow, sharedProblems } from './parser/settings.ts'
import { portProblems, serveSettings } from './serve.ts'
import { explorerNetwork, explorerNetworkSettings } from './tables/explorer-network.ts'
import {
  type ExplorerConfig,
  explorerConfig,
  explorerProblems,
  explorerSettings,
} from './tables/explorer-settings.ts'
import { networkProblems, networkSettings, withExamples } from './tables/network-settings.ts'
import { likelyNetworks } from './tables/networks.ts'
import {
  type StoreConfig,
  storeConfig,
  storeProblems,
  storeSettings,
} from './tables/store-settings.ts'

/** What `svc explorer` needs: no secret of a sponsor, since it signs nothing. */
export interface ExplorerServiceConfig {
  readonly host: string
  readonly adminPort: number
  readonly bodyLimitBytes: number
  readonly trustedProxyHops: number
  readonly shutdownGraceMs: number
  readonly shutdownKeepAliveMs: number
  readonly logLevel: LogLevel
  readonly tracesEndpoint: string | undefined
  readonly version: string
  readonly store: StoreConfig
  readonly explorer: ExplorerConfig
}

const serviceSettings = {
  HOST: serveSettings.HOST,
  ADMIN_PORT: serveSettings.ADMIN_PORT,
  BODY_LIMIT_BYTES: serveSettings.BODY_LIMIT_BYTES,
  TRUSTED_PROXY_HOPS: serveSettings.TRUSTED_PROXY_HOPS,
  SHUTDOWN_GRACE_MS: serveSettings.SHUTDOWN_GRACE_MS,
  SHUTDOWN_KEEP_ALIVE_MS: serveSettings.SHUTDOWN_KEEP_ALIVE_MS,
  LOG_LEVEL: serveSettings.LOG_LEVEL,
  OTEL_EXPORTER_OTLP_ENDPOINT: serveSettings.OTEL_EXPORTER_OTLP_ENDPOINT,
  SVC_VERSION: serveSettings.SVC_VERSION,
  NETWORKS: serveSettings.NETWORKS,
  ...storeSettings,
  ...explorerSettings,
}

const perNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
  ...explorerNetworkSettings,
}

/** Reads the environment of `svc explorer`. Throws `ConfigError` with every problem in it. */
export function loadExplorerConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ExplorerServiceConfig {
  const environment = new Environment(variables, readFile)
  const service = parseSettings(serviceSettings, (name, options) => environment.read(name, options))
  const ids = service.settings.NETWORKS ?? likelyNetworks(variables)
  const perNetwork = ids.map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(service, [
    ...service.problems,
    ...memoryProblems(service.settings.STORE),
    ...storeProblems(service),
    ...portProblems(service.settings, ['ADMIN_PORT', 'EXPLORER_PORT']),
    ...explorerProblems(service, ids),
    ...perNetwork.flatMap(({ problems }) => problems),
    ...(ids.length === 0 ? sharedProblems(perNetworkSettings, environment) : []),
  ])
  return deepFreeze({
    host: settings.HOST,
    adminPort: settings.ADMIN_PORT,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    shutdownKeepAliveMs: settings.SHUTDOWN_KEEP_ALIVE_MS,
    logLevel: settings.LOG_LEVEL,
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    version: settings.SVC_VERSION,
    store: storeConfig(settings),
    explorer: explorerConfig(
      settings,
      perNetwork.map(({ config }) => config()),
    ),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const read = (name: string, options: { secret: boolean; shared: boolean }) =>
    environment.readFor(variablePrefixes[id], name, options)
  const parsed = parseSettings(perNetworkSettings, read)
  const endpoints = parsed.variable('RPC_URL')
  const problems = [
    ...withExamples(id, parsed.problems),
    // Of the rules between settings, the one of the endpoints.
    ...networkProblems(parseSettings(networkSettings, read), id).filter(
      ({ variable }) => variable === endpoints,
    ),
  ]
  return { problems, config: () => explorerNetwork(id, settingsOrThrow(parsed, problems)) }
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
