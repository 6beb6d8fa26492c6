import { type NetworkId, variablePrefixes } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/deep-freeze.ts'
import type { LogLevel } from '../platform/core/log-levels.ts'
import type { Problem } from './parser/config-error.ts'
import { Environment, type Variables } from './parser/environment.ts'
import {
  parseSettings,
  type SettingsOf,
  settingsOrThrow,
  sharedProblems,
} from './parser/settings.ts'
import { portProblems, serveSettings } from './serve.ts'
import {
  type CatalogConfig,
  catalogConfig,
  catalogProblems,
  catalogSettings,
} from './tables/catalog-settings.ts'
import { networkProblems, networkSettings, withExamples } from './tables/network-settings.ts'
import { likelyNetworks } from './tables/networks.ts'
import {
  type StoreConfig,
  storeConfig,
  storeProblems,
  storeSettings,
} from './tables/store-settings.ts'

/** What `svc catalog` needs: no secret of a sponsor, since it signs nothing. */
export interface CatalogServiceConfig {
  readonly host: string
  readonly port: number
  readonly adminPort: number
  readonly bodyLimitBytes: number
  readonly rateLimitPerMinute: number
  readonly trustedProxyHops: number
  readonly shutdownGraceMs: number
  readonly shutdownKeepAliveMs: number
  readonly logLevel: LogLevel
  readonly tracesEndpoint: string | undefined
  readonly version: string
  readonly store: StoreConfig
  readonly catalog: CatalogConfig
  /** In the order of `NETWORKS`; never empty. */
  readonly networks: readonly CatalogNetwork[]
}

/** A network whose ledger the catalog reads. */
interface CatalogNetwork {
  readonly id: NetworkId
  readonly rpcUrls: readonly string[]
}

const serviceSettings = {
  HOST: serveSettings.HOST,
  PORT: serveSettings.PORT,
  ADMIN_PORT: serveSettings.ADMIN_PORT,
  BODY_LIMIT_BYTES: serveSettings.BODY_LIMIT_BYTES,
  RATE_LIMIT_PER_MINUTE: serveSettings.RATE_LIMIT_PER_MINUTE,
  TRUSTED_PROXY_HOPS: serveSettings.TRUSTED_PROXY_HOPS,
  SHUTDOWN_GRACE_MS: serveSettings.SHUTDOWN_GRACE_MS,
  SHUTDOWN_KEEP_ALIVE_MS: serveSettings.SHUTDOWN_KEEP_ALIVE_MS,
  LOG_LEVEL: serveSettings.LOG_LEVEL,
  OTEL_EXPORTER_OTLP_ENDPOINT: serveSettings.OTEL_EXPORTER_OTLP_ENDPOINT,
  SVC_VERSION: serveSettings.SVC_VERSION,
  NETWORKS: serveSettings.NETWORKS,
  ...storeSettings,
  ...catalogSettings,
}

const catalogNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
}

/** Reads the environment of `svc catalog`. Throws `ConfigError` with every problem in it. */
export function loadCatalogConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): CatalogServiceConfig {
  const environment = new Environment(variables, readFile)
  const service = parseSettings(serviceSettings, (name, options) => environment.read(name, options))
  const ids = service.settings.NETWORKS ?? likelyNetworks(variables)
  const perNetwork = ids.map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(service, [
    ...service.problems,
    ...memoryProblems(service.settings.STORE),
    ...storeProblems(service),
    ...portProblems(service.settings, ['PORT', 'ADMIN_PORT']),
    ...catalogProblems(service, ids),
    ...perNetwork.flatMap(({ problems }) => problems),
    ...(ids.length === 0 ? sharedProblems(catalogNetworkSettings, environment) : []),
  ])
  return deepFreeze({
    host: settings.HOST,
    port: settings.PORT,
    adminPort: settings.ADMIN_PORT,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    shutdownKeepAliveMs: settings.SHUTDOWN_KEEP_ALIVE_MS,
    logLevel: settings.LOG_LEVEL,
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    version: settings.SVC_VERSION,
    store: storeConfig(settings),
    catalog: catalogConfig(settings),
    networks: perNetwork.map(({ config }) => config()),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const read = (name: string, options: { secret: boolean; shared: boolean }) =>
    environment.readFor(variablePrefixes[id], name, options)
  const parsed = parseSettings(catalogNetworkSettings, read)
  const endpoints = parsed.variable('RPC_URL')
  const problems = [
    ...withExamples(id, parsed.problems),
    // Of the rules between settings, the one of the endpoints.
    ...networkProblems(parseSettings(networkSettings, read), id).filter(
      ({ variable }) => variable === endpoints,
    ),
  ]
  return { problems, config: () => networkOf(id, settingsOrThrow(parsed, problems)) }
}

const networkOf = (
  id: NetworkId,
  settings: SettingsOf<typeof catalogNetworkSettings>,
): CatalogNetwork => ({ id, rpcUrls: settings.RPC_URL })

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
