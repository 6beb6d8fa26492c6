import type { FastifyInstance } from 'fastify'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { CatalogItems } from '../items/catalog-items.ts'
import type { SearchService } from '../search/search-service.ts'
import { exposeList } from './list-route.ts'
import { exposeListings } from './listing-routes.ts'
import { type AnswerSearch, answerSearch, exposeSearch } from './search-route.ts'

export interface Discovery {
  readonly db: Db
  readonly items: CatalogItems
  readonly search: SearchService
  /** Signs search cursors: at least 32 bytes, the same in every replica; see `keptCursorSecret`. */
  readonly cursorSecret: Uint8Array
  readonly clock: SteadyClock
}

/**
 * Adds the routes by which people and agents read the catalog: the list, single listings, their history, and search.
 *
 * @returns the search, for other interfaces of the same process
 */
export function discoveryRoutes(app: FastifyInstance, discovery: Discovery): AnswerSearch {
  exposeList(app, discovery)
  exposeListings(app, discovery)
  const search = answerSearch(discovery)
  exposeSearch(app, search)
  return search
}
