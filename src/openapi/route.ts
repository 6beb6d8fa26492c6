import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './document.ts'

/** Serves the document at `/openapi.json`; it is put together and written out once. */
export function exposeOpenApi(app: FastifyInstance, version: string): void {
  const text = JSON.stringify(openApiDocument(version))
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  )
}
