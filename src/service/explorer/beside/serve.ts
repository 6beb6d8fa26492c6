import { openStore, type Store } from '../../../platform/database/open.ts'
import { exposeMetrics } from '../../../platform/http/admin.ts'
import { exposeReadiness, readinessRoute } from '../../../platform/http/readiness.ts'
import { listenOn } from '../../server/listen-on.ts'
import { publicServer } from '../../server/public-server.ts'
import { explorerRateLimit } from '../explorer-rate-limit.ts'
import { type ExplorerParts, openExplorer } from '../open-explorer.ts'
import type { BesideConfig } from './beside-config.ts'

/** For a process that ingests: the lease, the ledgers and the registry at the same time. */
const CONNECTIONS = 4
/** The same as on the public port: many probes cost the store one query. */
const READY_CACHE_MS = 1_000

export interface ServeExplorerParts
  extends Omit<ExplorerParts, 'from' | 'store' | 'trustedProxyHops' | 'publicUrl' | 'version'> {
  readonly service: BesideConfig
  /** The process's handle of a store in memory: there is one database, and it has one connection. */
  readonly memory?: Store
}

/** Opens the explorer over connections of its own, and serves it until `stop` aborts; then drains it. */
export async function serveExplorer(parts: ServeExplorerParts): Promise<void> {
  const { service, config, logger, metrics, clock, stop } = parts
  const { store: from, trustedProxyHops, publicUrl, version } = service
  await using store = parts.memory
    ? { ...parts.memory, [Symbol.asyncDispose]: async () => undefined }
    : await openStore(from.kind === 'postgres' ? { ...from, poolSize: CONNECTIONS } : from)
  await using explorer = await openExplorer({
    ...parts,
    from,
    store,
    trustedProxyHops,
    publicUrl,
    version,
  })
  await using server = publicServer(service, {
    logger,
    observe: metrics.observeRequest,
    rateLimit: explorerRateLimit(config, { trustedProxyHops, clock, metrics }),
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

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
