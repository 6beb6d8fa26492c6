import type { FastifyInstance } from 'fastify'
import { type ServedRoute, serveRoute } from '../../platform/http/server/route.ts'

/** The document is serialized once. */
export function serveDocument(app: FastifyInstance, route: ServedRoute, document: object): void {
  const text = JSON.stringify(document)
  serveRoute(app, route, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  )
}
