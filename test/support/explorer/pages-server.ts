import { openReads } from '../../../src/explorer/open-reads.ts'
import type { ExplorerReads } from '../../../src/explorer/reads.ts'
import { LiveUpdates } from '../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../src/explorer/web/pages.ts'
import type { NetworkId } from '../../../src/platform/core/caip2.ts'
import { type SteadyClock, systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'

interface PagesServerOptions {
  readonly db: Db
  readonly networks?: readonly NetworkId[]
  readonly clock?: SteadyClock
  /** @default none */
  readonly catalogUrl?: string | undefined
  /** @default any free one */
  readonly port?: number
  /** Stands between the pages and their reads, to make them fail. */
  readonly readsThrough?: (reads: ExplorerReads) => ExplorerReads
}

interface PagesServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly port: number
  /** Tells that payments were written, as ingest in the same process does. */
  wake(): void
}

/** The explorer's pages over a store. */
export async function startPagesServer(options: PagesServerOptions): Promise<PagesServer> {
  await using opened = new AsyncDisposableStack()
  const { db, clock = systemClock, networks = ['stellar:testnet'], port = 0, catalogUrl } = options
  // Answers that are shared for seconds would show a test what was.
  const goodForMs = { stats: 0, ecosystem: 0 }
  const found = openReads({ db, clock, networks, watchedAssets: {}, goodForMs })
  const reads = options.readsThrough?.(found) ?? found
  const errors: unknown[] = []
  const server = opened.use(createHttpServer({ logger: createLogger({ level: 'error' }) }))
  // Ends before the server does, as when a process drains.
  const live = opened.use(new LiveUpdates({ reads, clock, onError: (error) => errors.push(error) }))
  exposePages(server.app, {
    reads,
    networks,
    version: '1.2.3',
    clock,
    live,
    sameUrlMs: 0,
    catalog:
      catalogUrl === undefined
        ? undefined
        : { url: catalogUrl, facilitatorUrl: 'https://facilitator.example' },
  })
  const { url: baseUrl } = await server.listen({ host: '127.0.0.1', port })
  const resources = opened.move()
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    wake: () => live.wake(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
