import type { FastifyInstance } from 'fastify'
import { clusterPaths } from '../core/http-paths.ts'
import type { Logger } from '../telemetry/logs/logger.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'
import { exposeReadiness, type ReadinessChecks } from './readiness.ts'
import { USUAL_BOUNDS } from './server/connections.ts'
import { type Route, type ServedRoute, serveRoute } from './server/route.ts'
import { createHttpServer, type HttpServer } from './server/server.ts'

export interface AdminServerOptions {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'expose'>
  readonly checks: ReadinessChecks
  /** False when the process hangs in a way that its event loop does not show. @default always true */
  readonly isAlive?: () => boolean
}

const livenessRoute: ServedRoute = { method: 'get', path: clusterPaths.live, isProbe: true }
const podReadinessRoute: ServedRoute = { method: 'get', path: clusterPaths.ready, isProbe: true }

export const metricsRoute: Route = {
  id: 'metrics',
  method: 'get',
  path: clusterPaths.metrics,
  tag: 'Operations',
  summary: 'Metrics in the text format of Prometheus',
  isProbe: true,
  answers: { 200: { description: 'The exposition', body: 'text' } },
}

/**
 * Probes and metrics, on a port that is never routed to the outside: `/livez` answers while the event
 * loop runs and `isAlive` holds, `/readyz` runs the checks.
 */
export function createAdminServer({
  logger,
  metrics,
  checks,
  isAlive = () => true,
}: AdminServerOptions): HttpServer {
  const server = createHttpServer({
    logger,
    // A node may have a public address, and each of its probes comes from there.
    connections: { ...USUAL_BOUNDS, ofAddress: Infinity },
  })
  serveRoute(server.app, livenessRoute, async (_request, reply) => {
    const live = isAlive()
    if (!live) reply.code(503)
    return { live }
  })
  exposeReadiness(server.app, podReadinessRoute, checks)
  exposeMetrics(server.app, metrics)
  return server
}

/** Serves `/metrics` on any server. */
export function exposeMetrics(app: FastifyInstance, metrics: Pick<Metrics, 'expose'>): void {
  serveRoute(app, metricsRoute, async (_request, reply) => {
    const { contentType, text } = await metrics.expose()
    return reply.type(contentType).send(text)
  })
}
