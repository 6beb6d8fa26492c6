import type { FastifyInstance } from 'fastify'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { exposeReadiness, type ReadinessChecks } from './readiness.ts'
import { createHttpServer, type HttpServer } from './server.ts'

export interface AdminServerOptions {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'expose'>
  readonly checks: ReadinessChecks
  /** False when the process hangs in a way that its event loop does not show. @default always true */
  readonly isAlive?: () => boolean
}

/**
 * What orchestrators ask, on a port that is never routed to the outside: `/livez` says only that
 * the event loop turns, `/readyz` runs the checks, `/metrics` is for the scraper.
 */
export function createAdminServer({
  logger,
  metrics,
  checks,
  isAlive = () => true,
}: AdminServerOptions): HttpServer {
  const server = createHttpServer({ logger })
  server.app.get(
    '/livez',
    { config: { answersWhileDraining: true, isUnlimited: true } },
    async (_request, reply) => {
      const live = isAlive()
      if (!live) reply.code(503)
      return { live }
    },
  )
  exposeReadiness(server.app, '/readyz', checks)
  exposeMetrics(server.app, metrics)
  return server
}

/** Serves `/metrics` on any server. */
export function exposeMetrics(app: FastifyInstance, metrics: Pick<Metrics, 'expose'>): void {
  app.get(
    '/metrics',
    { config: { answersWhileDraining: true, isUnlimited: true } },
    async (_request, reply) => {
      const { contentType, text } = await metrics.expose()
      return reply.type(contentType).send(text)
    },
  )
}
