import { ProvisionFailure } from '../../payments/channels/create/create-channels.ts'
import { type SteadyClock, systemClock } from '../../platform/core/time/clock.ts'
import { openStore, type Store } from '../../platform/database/open.ts'
import { RoutesDiffer } from '../../platform/database/postgres/route.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../platform/database/schema-newer.ts'
import type { ApiKeys } from '../../platform/http/access/api-keys.ts'
import { createAdminServer, exposeMetrics } from '../../platform/http/admin.ts'
import type { RateLimitOptions } from '../../platform/http/rate-limit/rate-limit-hook.ts'
import {
  exposeReadiness,
  type ReadinessChecks,
  readinessRoute,
} from '../../platform/http/readiness.ts'
import { PortUnavailable } from '../../platform/http/server/listen.ts'
import type { HttpServer } from '../../platform/http/server/server.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import { createLogger, type Logger } from '../../platform/telemetry/logs/logger.ts'
import { createMetrics, type Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { openTracer } from '../../platform/telemetry/traces/open-tracer.ts'
import type { Tracer } from '../../platform/telemetry/traces/tracer.ts'
import type { StoreConfig } from '../../settings/sections/store-settings.ts'
import type { ServeConfig } from '../../settings/serve.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { exposeOpenApi } from '../openapi/route.ts'
import { messageOf } from '../process/message-of.ts'
import { Stopped, stopped } from '../process/stop-signals.ts'
import { listenOn } from './listen-on.ts'
import { type PublicServerConfig, publicServer } from './public-server.ts'
import { type RateLimitConfig, rateLimit } from './rate-limit.ts'
import { SchemaOutdated } from './schema-outdated.ts'
import { warnOfRefusedTimeout } from './warn-of-refused-timeout.ts'

/** Configuration that every service has, whatever it serves. */
type ServiceConfig = RateLimitConfig &
  PublicServerConfig &
  Pick<
    ServeConfig,
    | 'host'
    | 'port'
    | 'adminPort'
    | 'shutdownGraceMs'
    | 'shutdownKeepAliveMs'
    | 'logLevel'
    | 'tracesEndpoint'
    | 'version'
  > & {
    readonly store: StoreConfig
    /** The variable that sets `port`. @default 'PORT' */
    readonly portVariable?: string
  }

/** Dependencies that a service gets. */
export interface ServiceDeps {
  /** Opened, with its schema up to date. */
  readonly store: Store
  readonly logger: Logger
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly clock: SteadyClock
  /** Aborts when the process is to stop; while the service opens, it ends that with `Stopped`. */
  readonly stop: AbortSignal
}

/** A service that is ready to be served. Disposing of it ends its background work. */
export interface Service extends AsyncDisposable {
  /** Adds its routes to the public server. */
  readonly routes: (app: HttpServer['app']) => void
  /** Whether the routes include an OpenAPI document; without it the one of the public port is added. */
  readonly hasOwnDocument?: boolean
  /** Its checks of `/ready`, besides that of the database. */
  readonly checks: ReadinessChecks
  /** Its checks of `/readyz`, besides those of every pod. @default none */
  readonly podChecks?: ReadinessChecks
  /** The accepted API keys, as they are at each request. */
  readonly keys: ApiKeys
  /** Instead of the configured limits. */
  readonly rateLimit?: RateLimitOptions | undefined
  /** Called with the address of the public server, for a client on this machine, once it listens. */
  readonly listening?: (url: string) => void
  /** Called when the public server begins to drain. */
  readonly drain?: () => void
}

/** Brings the schema up to date, or throws unless it is. */
type PrepareSchema = (store: Store, logger: Logger) => Promise<void>

/** How long an answer of `/ready` is reused, so that many probes cost the store one query. */
const READY_CACHE_MS = 1_000

/** Startup errors that an administrator can fix; any other one is a defect and keeps its stack. */
export const explainStartupError = messageOf(
  PortUnavailable,
  StoreUnavailable,
  RoutesDiffer,
  RpcError,
  ProvisionFailure,
  SchemaNewer,
  SchemaOutdated,
)

/**
 * Serves what `open` makes until `stop` aborts. Opens the store first, then everything that uses it; closes in
 * the opposite order, also after an error.
 *
 * @returns the exit code, 0
 */
export async function runService(
  config: ServiceConfig,
  stop: AbortSignal,
  prepareSchema: PrepareSchema,
  open: (deps: ServiceDeps) => Promise<Service>,
): Promise<number> {
  const logger = createLogger({ level: config.logLevel })
  const metrics = createMetrics({ processMetrics: true })
  await using tracer = await openTracer(config.tracesEndpoint, {
    version: config.version,
    onError: onBackgroundError(
      { log: logger, metrics },
      'traces',
      'Could not hand traces to the collector',
    ),
  })
  const onConnectionWait = (seconds: number) => metrics.databaseWait.observe(seconds)
  const onTimeoutRefused = () => warnOfRefusedTimeout(logger)
  await using store = await openStore({ ...config.store, onConnectionWait, onTimeoutRefused })
  metrics.watchConnections(() => store.connections())
  await prepareSchema(store, logger)

  const deps = { store, logger, metrics, tracer, clock: systemClock, stop }
  await using opened = await open(deps).catch((error: unknown) => {
    if (!(error instanceof Stopped)) throw error
    logger.info({ signal: error.signal }, 'Service stopped before it was open')
    return undefined
  })
  if (!opened) return 0
  const { keys } = opened
  await using server = publicServer(config, {
    logger,
    observe: metrics.observeRequest,
    rateLimit:
      opened.rateLimit ?? rateLimit(config, { store, keys, metrics, logger, clock: systemClock }),
  })
  opened.routes(server.app)
  if (!opened.hasOwnDocument) exposeOpenApi(server.app, config.version)
  exposeMetrics(server.app, metrics)
  const checks = { ...databaseCheck(config.store, store), ...opened.checks }
  exposeReadiness(server.app, readinessRoute, checks, { cacheMs: READY_CACHE_MS })
  const ofPod = { ...podChecks(store, server), ...opened.podChecks }
  await using admin = createAdminServer({ logger, metrics, checks: ofPod })

  const { host, port, adminPort, portVariable: variable = 'PORT' } = config
  const bound = await listenOn(admin, { host, port: adminPort, variable: 'ADMIN_PORT' })
  const { url } = await listenOn(server, { host, port, variable })
  opened.listening?.(url)
  logger.info({ url, adminUrl: bound.url, version: config.version }, 'Service is listening')

  const signal = await stopped(stop)
  logger.info({ signal }, 'Service is draining')
  opened.drain?.()
  const { shutdownGraceMs, shutdownKeepAliveMs } = config
  const cutOff = await server.close(shutdownGraceMs, shutdownKeepAliveMs)
  if (cutOff > 0) logger.warn({ requests: cutOff }, 'Requests were cut off at the end of the grace')
  logger.info('Service stopped')
  return 0
}

/** The check named `database`; a store in memory needs none. */
function databaseCheck({ kind }: StoreConfig, store: Store): ReadinessChecks {
  return kind === 'memory' ? {} : { database: () => store.ping().then(() => undefined) }
}

/** Whether this replica should get traffic. A later outage of a network is not part of it: it is the same for all. */
function podChecks(store: Store, server: HttpServer): ReadinessChecks {
  return {
    store: () => store.ping().then(() => undefined),
    schema: async () => {
      const { missing, newer } = await store.schemaState()
      // A newer version removed tables or columns that statements of this version use: payments would fail.
      if (newer) throw newer
      if (missing.length > 0) throw new Error(`migrations are missing: ${missing.join(', ')}`)
      return undefined
    },
    draining: async () => {
      if (server.isDraining) throw new Error('the service is stopping')
      return undefined
    },
  }
}
