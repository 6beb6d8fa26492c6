import type { UsdUnits } from '../platform/core/amounts/usd.ts'
import { type NetworkId, variablePrefixes } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/deep-freeze.ts'
import { type LogLevel, logLevels } from '../platform/core/log-levels.ts'
import type { Problem } from './parser/config-error.ts'
import { Environment, type Variables } from './parser/environment.ts'
import {
  type ParsedSettings,
  parseSettings,
  settingsOrThrow,
  sharedProblems,
} from './parser/settings.ts'
import {
  boolean,
  choice,
  dollars,
  integer,
  optionalInteger,
  optionalUrl,
  text,
} from './parser/values.ts'
import {
  type ApiKeyConfig,
  apiKeyConfig,
  apiKeyEntries,
  apiKeyProblems,
} from './tables/api-keys.ts'
import {
  type CatalogConfig,
  catalogConfig,
  catalogProblems,
  catalogSettings,
} from './tables/catalog-settings.ts'
import { explorerNetwork } from './tables/explorer-network.ts'
import {
  type ExplorerConfig,
  explorerConfig,
  explorerProblems,
  explorerSettings,
} from './tables/explorer-settings.ts'
import {
  type NetworkConfig,
  networkConfig,
  networkProblems,
  networkSettings,
  withExamples,
} from './tables/network-settings.ts'
import { likelyNetworks, networks } from './tables/networks.ts'
import {
  type StoreConfig,
  storeConfig,
  storeProblems,
  storeSettings,
} from './tables/store-settings.ts'

/** The configuration of `svc serve`. */
export interface ServeConfig {
  readonly host: string
  /** 0 takes any free port, here and for the admin port. */
  readonly port: number
  readonly adminPort: number
  readonly bodyLimitBytes: number
  /** Requests that one client address may send in a minute, to all replicas together; 0 is no limit. */
  readonly rateLimitPerMinute: number
  /** Requests that may carry one accepted API key in a minute, to all replicas together; 0 is no limit. */
  readonly rateLimitPerKeyPerMinute: number
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  /** Where others reach the facilitator, without a trailing slash; undefined: it proves no signer. */
  readonly publicUrl: string | undefined
  readonly apiKeys: ApiKeyConfig
  /** How long a stop waits for the requests in flight. */
  readonly shutdownGraceMs: number
  readonly shutdownKeepAliveMs: number
  /** How often a replica looks for settlements that no replica follows. */
  readonly reconcileIntervalMs: number
  /** Settlements that ended this many days ago are deleted; undefined: none is. */
  readonly settlementRetentionDays: number | undefined
  /** USD accrued to the caller in the metering records for each successful settlement. */
  readonly serviceFee: UsdUnits
  readonly logLevel: LogLevel
  /** Base URL of an OTLP collector; nothing is traced without one. */
  readonly tracesEndpoint: string | undefined
  readonly version: string
  readonly store: StoreConfig
  /** Undefined: paid resources are not listed. */
  readonly catalog: CatalogConfig | undefined
  /** Undefined: this process neither reads the ledger for the explorer nor serves it. */
  readonly explorer: ExplorerConfig | undefined
  /** In the order of `NETWORKS`; never empty. */
  readonly networks: readonly NetworkConfig[]
}

export const serveSettings = {
  HOST: {
    help: 'Address that the service listens on; `::` is every IPv4 and IPv6 address.',
    ...text('::'),
  },
  PORT: { help: 'Port of the service; 0 takes any free port.', ...integer(0, 65_535, 8_080) },
  ADMIN_PORT: {
    help: 'Port of `/livez`, `/readyz` and `/metrics`; do not expose it outside the cluster.',
    ...integer(0, 65_535, 9_090),
  },
  BODY_LIMIT_BYTES: {
    help: 'A larger request body is refused.',
    ...integer(1_024, 1_048_576, 131_072),
  },
  RATE_LIMIT_PER_MINUTE: {
    help: 'Requests without an accepted API key that one client address may send in a minute, to all replicas together; 0 is no limit.',
    ...integer(0, 1_000_000, 600),
  },
  RATE_LIMIT_PER_KEY_PER_MINUTE: {
    help: 'Requests that may carry one accepted API key in a minute, from any address, to all replicas together; 0 is no limit. They do not count for their address.',
    ...integer(0, 1_000_000, 6_000),
  },
  TRUSTED_PROXY_HOPS: {
    help: 'Proxies in front of the service that append to `X-Forwarded-For`; with 0 the header is not read.',
    ...integer(0, 10, 0),
  },
  PUBLIC_URL: {
    help: 'Where others reach the facilitator, such as https://x402.example.com. The signers then prove at `/supported/proofs` that they are of this facilitator, and an explorer to which it is [announced](explorer.md#facilitators) attributes payments to it.',
    ...optionalUrl,
  },
  API_KEY_SHA256: {
    help: 'Each accepted API key: the `entry` that `svc keys new` prints, a digest and, if given, a name and the time in which the key [is valid](access.md#api-keys). The service reads `API_KEY_SHA256_FILE` again every five seconds; while it is empty, no key is accepted.',
    secret: true,
    mayBeEmptyFile: true,
    ...apiKeyEntries,
  },
  SHUTDOWN_GRACE_MS: {
    help: 'How long a stopping service waits for the requests in flight.',
    ...integer(0, 600_000, 30_000),
  },
  SHUTDOWN_KEEP_ALIVE_MS: {
    help: 'How long a stopping service still serves requests, over new connections too, and ends each connection with its next answer, before it refuses requests and closes idle connections; part of `SHUTDOWN_GRACE_MS`. For replicas behind a load balancer: no request fails of a client that keeps connections, or of a balancer that learns late of the end.',
    ...integer(0, 600_000, 0),
  },
  RECONCILE_INTERVAL_MS: {
    help: 'How often a replica searches the store for settlements whose process has died.',
    ...integer(1_000, 600_000, 5_000),
  },
  SETTLEMENT_RETENTION_DAYS: {
    help: 'Settlements that ended this many days ago are deleted once their authorizations have long expired.',
    ...optionalInteger(1, 3_650, 'all are kept'),
  },
  SERVICE_FEE_PER_SETTLEMENT_USD: {
    help: 'US dollars that `/usage` counts for each successful settlement of a caller; the service charges nothing.',
    ...dollars('0'),
  },
  LOG_LEVEL: { help: 'Lowest level that is logged.', ...choice(logLevels, 'info') },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    help: 'Base URL of an OpenTelemetry collector (OTLP over HTTP) that receives the traces; when unset, nothing is traced.',
    ...optionalUrl,
  },
  SVC_VERSION: { help: 'Version that the service reports.', ...text('dev') },
  NETWORKS: { help: 'Networks to serve.', ...networks },
  ...storeSettings,
  BAZAAR_ENABLED: {
    help: 'Whether paid resources are listed in the catalog: `svc serve` then serves `/discovery` and checks the origins, `svc facilitator` leaves that to `svc catalog`.',
    ...boolean(true),
  },
  ...catalogSettings,
  EXPLORER_ENABLED: {
    help: 'Whether `svc serve` also reads the payments of the networks for the explorer, and serves it on `EXPLORER_PORT`; `svc facilitator` leaves that to `svc explorer`.',
    ...boolean(true),
  },
  ...explorerSettings,
}
type ServeTable = typeof serveSettings

/** Reads the environment of `svc serve`. Throws `ConfigError` with every problem in it. */
export function loadServeConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ServeConfig {
  const environment = new Environment(variables, readFile)
  const service = parseSettings(serveSettings, (name, options) => environment.read(name, options))
  const ids = service.settings.NETWORKS ?? likelyNetworks(variables)
  const perNetwork = ids.map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(service, [
    ...service.problems,
    ...storeProblems(service),
    ...serveProblems(service),
    ...catalogProblems(service, ids),
    ...(service.settings.EXPLORER_ENABLED ? explorerProblems(service, ids) : []),
    ...perNetwork.flatMap(({ problems }) => problems),
    ...(ids.length === 0 ? sharedProblems(networkSettings, environment) : []),
    ...apiKeyProblems(
      service.settings.API_KEY_SHA256,
      service.variable('API_KEY_SHA256'),
      perNetwork,
    ),
  ])
  const { EXPLORER_ENABLED: hasExplorer } = settings
  return deepFreeze({
    host: settings.HOST,
    port: settings.PORT,
    adminPort: settings.ADMIN_PORT,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    rateLimitPerKeyPerMinute: settings.RATE_LIMIT_PER_KEY_PER_MINUTE,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    publicUrl: settings.PUBLIC_URL && baseUrlFrom(settings.PUBLIC_URL),
    apiKeys: apiKeyConfig(settings.API_KEY_SHA256, service.variable('API_KEY_SHA256'), variables),
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    shutdownKeepAliveMs: settings.SHUTDOWN_KEEP_ALIVE_MS,
    reconcileIntervalMs: settings.RECONCILE_INTERVAL_MS,
    settlementRetentionDays: settings.SETTLEMENT_RETENTION_DAYS,
    serviceFee: settings.SERVICE_FEE_PER_SETTLEMENT_USD,
    logLevel: settings.LOG_LEVEL,
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    version: settings.SVC_VERSION,
    store: storeConfig(settings),
    catalog: settings.BAZAAR_ENABLED ? catalogConfig(settings) : undefined,
    explorer: hasExplorer
      ? explorerConfig(
          settings,
          perNetwork.map(({ explorer }) => explorer()),
        )
      : undefined,
    networks: perNetwork.map(({ config }) => config()),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const parsed = parseSettings(networkSettings, (name, options) =>
    environment.readFor(variablePrefixes[id], name, options),
  )
  const problems = [...withExamples(id, parsed.problems), ...networkProblems(parsed, id)]
  const requireApiKey = parsed.settings.REQUIRE_API_KEY ?? false
  return {
    id,
    requireApiKey,
    problems,
    config: () => networkConfig(id, settingsOrThrow(parsed, problems)),
    explorer: () => explorerNetwork(id, settingsOrThrow(parsed, problems)),
  }
}

/** As explorers write base URLs. */
const baseUrlFrom = (text: string): string => {
  const { origin, pathname } = new URL(text)
  return origin + pathname.replace(/\/+$/, '')
}

function serveProblems({ settings }: ParsedSettings<ServeTable>): Problem[] {
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
