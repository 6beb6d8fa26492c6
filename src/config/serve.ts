import { z } from 'zod'
import { isNetworkId, type NetworkId, networkIds } from '../core/caip2.ts'
import { type LogLevel, logLevels } from '../core/log-levels.ts'
import type { Problem } from './config-error.ts'
import { deepFreeze } from './deep-freeze.ts'
import { Environment, type Variables } from './environment.ts'
import {
  type NetworkConfig,
  networkConfig,
  networkPrefixes,
  networkProblems,
  networkSettings,
  secretNetworkSettings,
} from './network-settings.ts'
import { type ParsedSettings, parseSettings, settingsOrThrow } from './settings.ts'
import { type StoreConfig, storeConfig, storeProblems, storeSettings } from './store-settings.ts'
import { choice, integer, list, text } from './values.ts'

/** Everything `svc serve` can be told. */
export interface ServeConfig {
  readonly host: string
  /** 0 takes any free port, here and for the admin port. */
  readonly port: number
  readonly adminPort: number
  readonly bodyLimitBytes: number
  /** How long a stop waits for the requests in flight. */
  readonly shutdownGraceMs: number
  readonly logLevel: LogLevel
  readonly version: string
  readonly store: StoreConfig
  /** In the order of `NETWORKS`; never empty. */
  readonly networks: readonly NetworkConfig[]
}

const networks = () =>
  list()
    .refine((ids) => ids.length > 0 && ids.every(isNetworkId), {
      error: `must be one or more of ${networkIds.join(', ')} with commas between them`,
    })
    .transform((ids) => [...new Set(ids.filter(isNetworkId))])

const serveSettings = {
  HOST: text('0.0.0.0'),
  PORT: integer(0, 65_535, 8_080),
  ADMIN_PORT: integer(0, 65_535, 9_090),
  BODY_LIMIT_BYTES: integer(1_024, 1_048_576, 131_072),
  SHUTDOWN_GRACE_MS: integer(0, 600_000, 30_000),
  LOG_LEVEL: choice(logLevels, 'info'),
  SVC_VERSION: text('dev'),
  NETWORKS: z.string().default('stellar:testnet').pipe(networks()),
  ...storeSettings,
}
type ServeTable = typeof serveSettings

/** Reads the environment of `svc serve`. Throws `ConfigError` with every problem in it. */
export function loadServeConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ServeConfig {
  const environment = new Environment(variables, readFile)
  const service = parseSettings(serveSettings, (name) =>
    environment.read(name, { secret: name === 'DATABASE_URL' }),
  )
  const perNetwork = (service.settings.NETWORKS ?? []).map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(service, [
    ...service.problems,
    ...storeProblems(service),
    ...serveProblems(service),
    ...perNetwork.flatMap(({ problems }) => problems),
  ])
  return deepFreeze({
    host: settings.HOST,
    port: settings.PORT,
    adminPort: settings.ADMIN_PORT,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    logLevel: settings.LOG_LEVEL,
    version: settings.SVC_VERSION,
    store: storeConfig(settings),
    networks: perNetwork.map(({ config }) => config()),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const parsed = parseSettings(networkSettings, (name) =>
    environment.readFor(networkPrefixes[id], name, { secret: secretNetworkSettings.has(name) }),
  )
  const problems = [...parsed.problems, ...networkProblems(parsed, id)]
  return { problems, config: () => networkConfig(id, settingsOrThrow(parsed, problems)) }
}

function serveProblems({ settings }: ParsedSettings<ServeTable>): Problem[] {
  const problems: Problem[] = []
  if (settings.STORE === 'memory' && settings.NETWORKS?.includes('stellar:pubnet')) {
    problems.push({
      variable: 'STORE',
      message: 'must not be memory with stellar:pubnet: a restart would forget payments',
    })
  }
  if (settings.PORT !== 0 && settings.PORT === settings.ADMIN_PORT) {
    problems.push({ variable: 'ADMIN_PORT', message: `must differ from PORT (${settings.PORT})` })
  }
  return problems
}
