import type { FastifyInstance } from 'fastify'
import { serveRoute } from '../http/route.ts'
import { openApiDocument } from './document.ts'
import { openApiRoute } from './routes.ts'

/** Serves the document at `/openapi.json`; it is built and serialized once. */
export function exposeOpenApi(app: FastifyInstance, version: string): void {
  const text = JSON.stringify(openApiDocument(version))
  serveRoute(app, openApiRoute, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  )
}
