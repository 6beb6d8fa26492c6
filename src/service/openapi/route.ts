import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './document.ts'
import { openApiRoute } from './routes.ts'
import { serveDocument } from './serve-document.ts'

/** Serves the document of the public port at `/openapi.json`. */
export const exposeOpenApi = (app: FastifyInstance, version: string): void =>
  serveDocument(app, openApiRoute, openApiDocument(version))
