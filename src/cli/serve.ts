import { parseArgs } from 'node:util'
import { ProvisionFailure } from '../channels/create-channels.ts'
import { loadServeConfig, type ServeConfig } from '../config/serve.ts'
import { systemClock } from '../core/clock.ts'
import { createAdminServer, exposeMetrics } from '../http/admin.ts'
import { ApiKeys } from '../http/api-keys.ts'
import { PortUnavailable } from '../http/listen.ts'
import { exposeReadiness, type ReadinessChecks } from '../http/readiness.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { exposeOpenApi } from '../openapi/route.ts'
import { RpcError } from '../stellar/rpc.ts'
import { openStore, type Store } from '../store/open.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { openTracer } from '../telemetry/tracer.ts'
import { followApiKeyFile } from './api-key-file.ts'
import { withConfig } from './configured.ts'
import { openFacilitator } from './facilitator.ts'
import { helpPage, operatorExits } from './help.ts'
import { rateLimit } from './rate-limit.ts'
import { type StopSignals, stopSignals } from './stop-signals.ts'

const help = helpPage({
  name: 'serve',
  summary: 'verifies and settles x402 payments over HTTP',
  usage: ['svc serve'],
  options: [],
  notes: [
    'Runs until SIGTERM or SIGINT, then finishes the requests in flight. Logs on standard output.',
  ],
  environment: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['TESTNET_SPONSOR_SECRET', 'seed of the account that pays the fees, or ..._FILE'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory does without'],
    ['PORT, ADMIN_PORT', '8080, 9090'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: { 0: 'stopped by a signal', 1: 'could not start, and why', ...operatorExits },
  example: 'STORE=memory TESTNET_RPC_URL=... TESTNET_SPONSOR_SECRET=S... svc serve',
})

/** However many probe `/ready`, the store is asked once in this time, in milliseconds. */
const READY_FOR_MS = 1_000

/** @returns the exit code: 0 stopped by a signal, 1 could not start, 78 bad configuration */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadServeConfig, serveConfigured)
}

async function serveConfigured(config: ServeConfig): Promise<number> {
  const logger = createLogger({ level: config.logLevel })
  using stop = stopSignals()
  try {
    await serveUntilStopped(config, logger, stop)
    return 0
  } catch (error) {
    if (!(error instanceof Error) || !isOfTheSurroundings(error)) throw error
    process.stderr.write(`svc serve: ${error.message}\n`)
    return 1
  }
}

/** What the operator can mend, told in a sentence; everything else deserves its stack. */
const isOfTheSurroundings = (error: Error): boolean =>
  [PortUnavailable, StoreUnavailable, RpcError, ProvisionFailure].some(
    (kind) => error instanceof kind,
  )

/** Opens from the store outwards; what was opened last is closed first, however this ends. */
async function serveUntilStopped(
  config: ServeConfig,
  logger: Logger,
  stop: StopSignals,
): Promise<void> {
  const metrics = createMetrics({ processMetrics: true })
  await using tracer = await openTracer(config.tracesEndpoint, {
    version: config.version,
    onError: (error) => {
      metrics.backgroundErrors.inc({ task: 'traces' })
      logger.warn({ err: error }, 'Could not hand traces to the collector')
    },
  })
  const onConnectionWait = (seconds: number) => metrics.databaseWait.observe(seconds)
  await using store = await openStore({ ...config.store, onConnectionWait })
  metrics.watchConnections(() => store.connections())
  const migrations = await store.migrate()
  if (migrations.length > 0) logger.info({ migrations }, 'Schema brought up to date')

  const keys = new ApiKeys(config.apiKeys.digests)
  const { file } = config.apiKeys
  await using _following =
    file === undefined ? undefined : followApiKeyFile({ file, keys, logger, clock: systemClock })
  await using facilitator = await openFacilitator({
    config,
    keys,
    store,
    logger,
    metrics,
    tracer,
    clock: systemClock,
    version: config.version,
  })
  await using service = createHttpServer({
    logger,
    bodyLimitBytes: config.bodyLimitBytes,
    observe: metrics.observeRequest,
    rateLimit: rateLimit(config, { store, metrics, logger, clock: systemClock }),
  })
  facilitator.routes(service.app)
  exposeOpenApi(service.app, config.version)
  exposeMetrics(service.app, metrics)
  const checks = { ...sharedStore(config, store), ...facilitator.checks }
  exposeReadiness(service.app, '/ready', checks, { goodForMs: READY_FOR_MS })
  await using admin = createAdminServer({ logger, metrics, checks: podChecks(store, service) })

  const { host, port, adminPort } = config
  const bound = await admin.listen({ host, port: adminPort })
  const { url } = await service.listen({ host, port })
  logger.info({ url, adminUrl: bound.url, version: config.version }, 'Service is listening')

  const signal = await stop.received
  logger.info({ signal }, 'Service is draining')
  const cutOff = await service.close(config.shutdownGraceMs)
  if (cutOff > 0) logger.warn({ requests: cutOff }, 'Requests were cut off at the end of the grace')
  logger.info('Service stopped')
}

/** The check named `database`: a store that only this process has is not worth one. */
function sharedStore({ store: { kind } }: ServeConfig, store: Store): ReadinessChecks {
  return kind === 'memory' ? {} : { database: () => store.ping().then(() => undefined) }
}

/** Whether this replica should get traffic. The network's state is no reason to take it away. */
function podChecks(store: Store, service: HttpServer): ReadinessChecks {
  return {
    store: () => store.ping().then(() => undefined),
    schema: async () => {
      const missing = await store.pendingMigrations()
      if (missing.length > 0) throw new Error(`migrations are missing: ${missing.join(', ')}`)
      return undefined
    },
    draining: async () => {
      if (service.isDraining) throw new Error('the service is stopping')
      return undefined
    },
  }
}
