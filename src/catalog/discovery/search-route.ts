import type { FastifyInstance } from 'fastify'
import { Fault } from '../../platform/core/errors/faults.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import { readQuery } from '../../platform/http/server/query.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import { constraintsOf } from '../filters/catalog-filters.ts'
import { filterOf } from '../filters/filter.ts'
import type { SearchRequest, SearchService } from '../search/search-service.ts'
import { readListings } from '../store/discovery/discovery-listings.ts'
import { catalogSearch, type SearchPage } from './answer-schemas.ts'
import { Cursors, digestOf } from './cursor.ts'
import { matchedItems } from './matched-items.ts'
import { searchParameters } from './parameters.ts'
import { Rankings } from './rankings.ts'

export const searchRoute: Route = {
  id: 'searchResources',
  method: 'get',
  path: discoveryPaths.search,
  isPublicRead: true,
  tag: 'Catalog',
  summary: 'The published resources that answer a question, best first',
  query: searchParameters,
  faults: [
    'discovery_invalid_parameter',
    'search_query_required',
    'search_query_too_long',
    'search_invalid_cursor',
    'search_cursor_expired',
  ],
  answers: { 200: { description: 'A page of resources', body: catalogSearch } },
}

export interface SearchDeps {
  readonly db: Db
  readonly search: SearchService
  /** Signs cursors: at least 32 bytes, the same in every replica. */
  readonly cursorSecret: Uint8Array
  readonly clock: SteadyClock
}

const MAX_QUERY = 500
const DEFAULT_LIMIT = 10

/** Answers the parameters of a search, which are as yet unread. Throws `Fault`. */
export type AnswerSearch = (query: unknown) => Promise<SearchPage>

/** `GET /discovery/search`. */
export const exposeSearch = (app: FastifyInstance, answer: AnswerSearch): void =>
  serveRoute(app, searchRoute, (raw) => answer(raw.query))

export function answerSearch(deps: SearchDeps): AnswerSearch {
  const cursors = new Cursors(deps.cursorSecret)
  const rankings = new Rankings(deps.search, deps.clock)
  return async (query) => {
    const { request, limit, cursor } = readSearch(query)
    const from = cursor === undefined ? undefined : cursorOf(cursors, cursor, request)
    const { answer, digest } = await (from
      ? rankings.later(request, from)
      : rankings.first(request))
    const position = from?.position ?? 0
    const end = Math.min(position + limit, answer.itemKeys.length)
    const itemKeys = answer.itemKeys.slice(position, end)
    const listings = await readListings(deps.db, { itemKeys })
    const filter = filterOf(constraintsOf(request.filters))
    const next = { request: digestOf(request), ranking: digest, revision: answer.revision }
    return {
      x402Version: 2,
      resources: matchedItems(itemKeys, listings, filter),
      partialResults: answer.partialResults,
      pagination: {
        limit,
        cursor: end < answer.itemKeys.length ? cursors.write({ ...next, position: end }) : null,
      },
      svc: {
        method: answer.method,
        recognised: answer.recognised,
        revision: answer.revision,
        ...(answer.lowConfidence && { lowConfidence: true }),
      },
    }
  }
}

function readSearch(query: unknown) {
  const read = readQuery(searchParameters, query)
  if (!read.ok) throw new Fault('discovery_invalid_parameter', { reason: read.reason })
  const { query: words = '', limit = DEFAULT_LIMIT, cursor, ...filters } = read.values
  const trimmed = words.trim()
  if (trimmed === '') throw new Fault('search_query_required')
  if (trimmed.length > MAX_QUERY) throw new Fault('search_query_too_long')
  return { request: { query: trimmed, filters }, limit, cursor }
}

/** Throws the fault `search_invalid_cursor` for a cursor of another search, or forged. */
function cursorOf(cursors: Cursors, text: string, request: SearchRequest) {
  const cursor = cursors.read(text)
  if (cursor?.request.equals(digestOf(request))) return cursor
  throw new Fault('search_invalid_cursor')
}
