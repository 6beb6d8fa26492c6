import { discoveryRoutes } from '../../../src/catalog/discovery/routes.ts'
import { startIndexing } from '../../../src/catalog/indexing/start-indexing.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { catalogItems } from '../catalog-listing.ts'

interface CatalogServer extends AsyncDisposable {
  readonly baseUrl: string
}

/** The catalog's list, listings and search over a store, once its index is built. */
export async function startCatalogServer(db: Db): Promise<CatalogServer> {
  await using opened = new AsyncDisposableStack()
  const items = catalogItems(db)
  const built = Promise.withResolvers<void>()
  const indexing = opened.use(
    await startIndexing({
      db,
      items,
      clock: systemClock,
      replica: 'test',
      onError: (error) => built.reject(error),
      onBuilt: () => built.resolve(),
      onSearched: () => undefined,
    }),
  )
  await built.promise
  const server = opened.use(createHttpServer({ logger: createLogger({ level: 'error' }) }))
  discoveryRoutes(server.app, {
    db,
    items,
    search: indexing.search,
    cursorSecret: Buffer.alloc(32, 1),
    clock: systemClock,
  })
  const { url: baseUrl } = await server.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  return { baseUrl, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
