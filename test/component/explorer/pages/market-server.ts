import type { EpochKey } from '../../../../src/explorer/store/ingest/progress.ts'
import type { PaymentRow } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { believableMarket, type Market } from '../../../support/explorer/believable-market.ts'
import { startCatalogServer } from '../../../support/explorer/catalog-server.ts'
import { startPagesServer } from '../../../support/explorer/pages-server.ts'
import { seedCatalog } from '../../../support/explorer/seed-catalog.ts'
import { ingestPayments, seedMarket } from '../../../support/explorer/seed-explorer.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

/** The pages over a real Postgres that is filled the way ingest fills it. */
export interface MarketServer extends AsyncDisposable {
  readonly market: Market
  readonly store: Store
  readonly baseUrl: string
  /** Of its catalog; none without one. */
  readonly listings: readonly string[]
  /** Writes payments as ingest does, and tells the server as ingest in the same process does. */
  write(payments: readonly PaymentRow[]): Promise<void>
  stop(): Promise<void>
  /** On the same port. */
  start(): Promise<void>
}

export interface MarketServerOptions {
  readonly payments: number
  /** @default false */
  readonly hasCatalog?: boolean
  /** Changes what is written. */
  readonly withChanges?: (market: Market) => Market
}

export async function startMarketServer(options: MarketServerOptions): Promise<MarketServer> {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openEmptyStore())
  const now = Math.floor(Date.now() / 1_000)
  const believable = believableMarket({ now: now - 60, payments: options.payments })
  const market = options.withChanges?.(believable) ?? believable
  const epoch: EpochKey = await seedMarket(store.db, market, now)
  const listings = options.hasCatalog ? await seedCatalog(store.db, market) : []
  const catalogUrl = options.hasCatalog
    ? opened.use(await startCatalogServer(store.db)).baseUrl
    : undefined
  let server = await startPagesServer({ db: store.db, catalogUrl })
  const { baseUrl, port } = server
  opened.defer(() => server[Symbol.asyncDispose]())
  const resources = opened.move()
  return {
    market,
    store,
    baseUrl,
    listings,
    write: async (payments) => {
      await ingestPayments(store.db, epoch, payments)
      server.wake()
    },
    stop: async () => server[Symbol.asyncDispose](),
    start: async () => {
      server = await startPagesServer({ db: store.db, port, catalogUrl })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
