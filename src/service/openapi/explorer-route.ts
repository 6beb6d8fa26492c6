import type { FastifyInstance } from 'fastify'
import { explorerDocument } from './explorer-document.ts'
import { explorerOpenApiRoute } from './explorer-routes.ts'
import { serveDocument } from './serve-document.ts'

/** Serves the document of the explorer's port at `/openapi.json`. */
export const exposeExplorerOpenApi = (app: FastifyInstance, version: string): void =>
  serveDocument(app, explorerOpenApiRoute, explorerDocument(version))
