import { discoveryRoutes } from '../../../src/catalog/discovery/routes.ts'
import type {
  SearchAnswer,
  SearchRequest,
  SearchService,
} from '../../../src/catalog/search/search-service.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { catalogItems } from '../../support/catalog-listing.ts'
import { expectDescribed } from '../../support/openapi.ts'
import type { Answer } from '../../support/stack.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

/** A search whose answers a test gives, and whose requests it can read. */
class GivenSearch implements SearchService {
  answer: SearchAnswer | undefined
  readonly requests: SearchRequest[] = []

  search(request: SearchRequest): Promise<SearchAnswer | undefined> {
    this.requests.push(request)
    return Promise.resolve(this.answer)
  }
}

/** The catalog's routes on a server of their own, over a real store. */
export interface DiscoveryWorld extends AsyncDisposable {
  readonly store: Store
  readonly search: GivenSearch
  readonly baseUrl: string
  /** Also checks the answer against the OpenAPI document. */
  get(path: string): Promise<Answer>
  /** The same, with a query of these parameters. */
  ask(path: string, query: Readonly<Record<string, string>>): Promise<Answer>
}

export interface WorldOptions {
  readonly search?: SearchService
  readonly monotonic?: () => number
  /** Of another world, for a second replica of it. */
  readonly store?: Store
}

export async function openDiscovery(options: WorldOptions = {}): Promise<DiscoveryWorld> {
  await using opened = new AsyncDisposableStack()
  const store = options.store ?? opened.use(await openEmptyStore())
  const server = opened.use(createHttpServer({ logger: createLogger({ level: 'error' }) }))
  const search = new GivenSearch()
  discoveryRoutes(server.app, {
    db: store.db,
    items: catalogItems(store.db),
    search: options.search ?? search,
    cursorSecret: Buffer.alloc(32, 1),
    clock: { ...systemClock, ...(options.monotonic && { monotonic: options.monotonic }) },
  })
  const { url: baseUrl } = await server.listen({ host: '127.0.0.1', port: 0 })
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(baseUrl + path)
    const { status, headers } = response
    const body = await response.json()
    expectDescribed({ method: 'GET', path, status, body })
    return { status, headers, body }
  }
  const resources = opened.move()
  return {
    store,
    search,
    baseUrl,
    get,
    ask: (path, query) => get(`${path}?${new URLSearchParams(query)}`),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
