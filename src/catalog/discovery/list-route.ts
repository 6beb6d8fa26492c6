import type { FastifyInstance } from 'fastify'
import { Fault } from '../../platform/core/errors/faults.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { Db } from '../../platform/database/schema.ts'
import { readQuery } from '../../platform/http/server/query.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import { constraintsOf } from '../filters/catalog-filters.ts'
import { filterOf } from '../filters/filter.ts'
import type { CatalogItems } from '../items/catalog-items.ts'
import { readListings } from '../store/discovery/discovery-listings.ts'
import { catalogList, type ListAnswer } from './answer-schemas.ts'
import { matchedItems } from './matched-items.ts'
import { listParameters } from './parameters.ts'

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
  { db, items: catalog }: { readonly db: Db; readonly items: CatalogItems },
): void {
  serveRoute(app, listRoute, async (request): Promise<ListAnswer> => {
    const read = readQuery(listParameters, request.query)
    if (!read.ok) throw new Fault('discovery_invalid_parameter', { reason: read.reason })
    const { limit = DEFAULT_LIMIT, offset = 0, asOf, ...filters } = read.values
    const filter = filterOf(constraintsOf(filters))
    const nowUs = await catalog.refresh()
    const asOfUs = asOf === undefined ? nowUs : Math.min(microsecondsOf(asOf), nowUs)
    const { items, total } = catalog.page(filter, { asOfUs, offset, limit })
    const keys = items.map(({ key }) => key)
    const ids = items.flatMap(({ listings }) => listings.map(({ id }) => id))
    return {
      x402Version: 2,
      items: matchedItems(keys, await readListings(db, { ids }), filter),
      pagination: { limit, offset, total, asOf: asOfText(asOfUs) },
    }
  })
}

/**
 * Times of the list are as precise as the database's, in microseconds since the Unix epoch: rounded ones would let
 * a listing of the same millisecond into the second page that was not in the first.
 */
const asOfText = (us: number): string => {
  const [ms, rest] = [Math.floor(us / 1_000), us % 1_000]
  return isoTime(ms).replace('Z', `${String(rest).padStart(3, '0')}Z`)
}

/** Microseconds since the Unix epoch of an ISO 8601 time with a zone; digits beyond microseconds are dropped. */
function microsecondsOf(text: string): number {
  const fraction = /\.(?<digits>\d+)/.exec(text)?.groups?.['digits'] ?? ''
  return Date.parse(text) * 1_000 + Number(fraction.slice(3, 6).padEnd(3, '0'))
}
