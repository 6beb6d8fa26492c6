import type { FastifyInstance } from 'fastify'
import { publicPaths } from '../../platform/core/http-paths.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import type { HealthMonitor } from './health-monitor.ts'
import { healthSchema } from './schema.ts'

export const healthRoute: Route = {
  id: 'health',
  method: 'get',
  path: publicPaths.health,
  tag: 'Operations',
  summary: 'Status of the service; rebuilt every 15 seconds and always answered with 200',
  isProbe: true,
  isPublicRead: true,
  answers: {
    200: { description: 'The newest snapshot', body: { name: 'Health', schema: healthSchema } },
  },
}

/** `GET /health`: the last snapshot, HTTP 200 as long as the process is up, whatever it says. */
export function exposeHealth(app: FastifyInstance, health: Pick<HealthMonitor, 'json'>): void {
  serveRoute(app, healthRoute, (_request, reply) => {
    reply.type('application/json; charset=utf-8')
    return health.json
  })
}
