import type { ServeConfig } from '../config/serve.ts'
import { exposeMetrics } from '../http/admin.ts'
import { PortUnavailable } from '../http/listen.ts'
import { exposeReadiness, readinessRoute } from '../http/readiness.ts'
import { createHttpServer } from '../http/server.ts'
import { openStore, type Store } from '../store/open.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { listenOn } from './listen-on.ts'
import type { ExplorerParts } from './open-explorer.ts'

/** For a process that ingests: the lease, the ledgers and the registry at the same time. */
const CONNECTIONS = 4
const RETRY_MS = 30_000
/** As on the public port: many probes cost the store one query. */
const READY_CACHE_MS = 1_000

type BesideConfig = Pick<
  ServeConfig,
  'host' | 'bodyLimitBytes' | 'shutdownGraceMs' | 'store' | 'trustedProxyHops' | 'version'
>

interface BesideParts extends Omit<ExplorerParts, 'from' | 'trustedProxyHops' | 'version'> {
  readonly service: BesideConfig
}

/**
 * Serves the explorer in a process that takes payments, on a port of its own, so that payments do not notice it: it
 * has database connections of its own, and when it cannot start, that is logged and counted, and tried again.
 *
 * It drains when `stop` aborts or it is disposed of; disposal waits for that.
 */
export function serveExplorerBeside(parts: BesideParts): AsyncDisposable {
  const { logger, metrics, clock } = parts
  const ending = new AbortController()
  const stop = AbortSignal.any([parts.stop, ending.signal])
  const run = async () => {
    while (!stop.aborted) {
      try {
        await serveUntilStopped({ ...parts, stop })
      } catch (error) {
        if (stop.aborted) return
        metrics.backgroundErrors.inc({ task: 'explorer' })
        logger.error(
          isExpected(error) ? { reason: error.message } : { err: error },
          `The explorer cannot start. Payments go on without it, and it tries again every ${RETRY_MS / 1_000} s`,
        )
        await clock.sleep(RETRY_MS, stop).catch(() => undefined)
      }
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('the service is stopping'))
      await running
    },
  }
}

/** What an administrator can mend; any other error is a defect and is logged with its stack. */
const isExpected = (error: unknown): error is Error =>
  error instanceof PortUnavailable || error instanceof StoreUnavailable

async function serveUntilStopped(parts: BesideParts): Promise<void> {
  const { service, config, logger, metrics, stop } = parts
  // Loaded here: a process without the explorer needs neither its code nor its memory.
  const { openExplorer } = await import('./open-explorer.ts')
  await using store = await ownStore(parts)
  const { trustedProxyHops, version } = service
  await using explorer = await openExplorer({
    ...parts,
    from: service.store,
    store,
    trustedProxyHops,
    version,
  })
  await using server = createHttpServer({
    logger,
    bodyLimitBytes: service.bodyLimitBytes,
    observe: metrics.observeRequest,
  })
  explorer.routes(server.app)
  exposeMetrics(server.app, metrics)
  exposeReadiness(server.app, readinessRoute, explorer.checks, { cacheMs: READY_CACHE_MS })
  const { url } = await listenOn(server, {
    host: service.host,
    port: config.port,
    variable: 'EXPLORER_PORT',
  })
  logger.info({ explorerUrl: url }, 'Explorer is listening')
  await aborted(stop)
  explorer.drain()
  const cutOff = await server.close(service.shutdownGraceMs)
  if (cutOff > 0) logger.warn({ requests: cutOff }, 'Requests to the explorer were cut off')
}

/** The process's own handle if the store is in memory: there is one database, and it has one connection. */
async function ownStore({ service, store }: BesideParts): Promise<Store> {
  if (service.store.kind === 'postgres')
    return openStore({ ...service.store, poolSize: CONNECTIONS })
  return { ...store, [Symbol.asyncDispose]: async () => undefined }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
