import type { FastifyInstance } from 'fastify'
import type { HealthMonitor } from './health-monitor.ts'

/** `GET /health`: the last snapshot, HTTP 200 as long as the process is up, whatever it says. */
export function exposeHealth(app: FastifyInstance, health: Pick<HealthMonitor, 'json'>): void {
  app.get(
    '/health',
    { config: { answersWhileDraining: true, isUnlimited: true } },
    (_request, reply) => {
      reply.type('application/json; charset=utf-8')
      return health.json
    },
  )
}
