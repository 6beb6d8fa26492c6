import type { FastifyInstance } from 'fastify'
import { Fault } from '../../platform/core/errors/faults.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import type { Db } from '../../platform/database/schema.ts'
import { readQuery } from '../../platform/http/server/query.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import { catalogList, type ListAnswer } from './answer-schemas.ts'
import { asOfText, microsecondsOf } from './as-of.ts'
import { loadItems } from './load-items.ts'
import { listParameters } from './parameters.ts'
import type { PublishedItems } from './published-items.ts'

export const listRoute: Route = {
  id: 'listResources',
  method: 'get',
  path: discoveryPaths.resources,
  isPublicRead: true,
  tag: 'Catalog',
  summary: 'The published resources, first published first',
  query: listParameters,
  faults: ['discovery_invalid_parameter'],
  answers: { 200: { description: 'A page of items', body: catalogList } },
}

const DEFAULT_LIMIT = 20

/** `GET /discovery/resources`. */
export function exposeList(
  app: FastifyInstance,
  { db, published }: { readonly db: Db; readonly published: PublishedItems },
): void {
  serveRoute(app, listRoute, async (request): Promise<ListAnswer> => {
    const read = readQuery(listParameters, request.query)
    if (!read.ok) throw new Fault('discovery_invalid_parameter', { reason: read.reason })
    const { limit = DEFAULT_LIMIT, offset = 0, asOf, ...filters } = read.values
    const nowUs = await published.refresh()
    const asOfUs = asOf === undefined ? nowUs : Math.min(microsecondsOf(asOf), nowUs)
    const { items, total } = published.page(filters, { asOfUs, offset, limit })
    return {
      x402Version: 2,
      items: await loadItems(db, items),
      pagination: { limit, offset, total, asOf: asOfText(asOfUs) },
    }
  })
}
