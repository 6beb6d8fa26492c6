import { createHash } from 'node:crypto'
import { openReads } from '../../../src/explorer/open-reads.ts'
import { windows } from '../../../src/explorer/store/tables.ts'
import { linkTo } from '../../../src/explorer/web/links.ts'
import { LiveUpdates } from '../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../src/explorer/web/pages.ts'
import { type NetworkId, networkIds } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { feedPairs } from './feed-pairs.ts'
import type { Population } from './population.ts'

/** One form of a read: what it is asked for. */
export interface NamedRead {
  readonly name: string
  /** Up to the text that is sent. */
  readonly read: () => Promise<string>
}

interface ReadKind {
  readonly name: string
  /** For the 95th percentile of its slowest form. */
  readonly limitMs: number
  /** For each form. */
  readonly requests: number
  readonly each: readonly NamedRead[]
}

interface MeasuredReads extends AsyncDisposable {
  readonly kinds: readonly ReadKind[]
}

const FEED_REQUESTS = 50
const REQUESTS = 100
const PAGE_LIMIT_MS = 60

/** The reads of the API without HTTP, and the pages as a server answers them. None is shared or kept. */
export async function openMeasuredReads(db: Db, population: Population): Promise<MeasuredReads> {
  const reads = openReads({
    ...{ db, clock: systemClock, networks: networkIds, watchedAssets: {} },
    goodForMs: { stats: 0, ecosystem: 0 },
  })
  const logger = createLogger({ level: 'error' })
  const live = new LiveUpdates({
    ...{ reads, clock: systemClock },
    onError: (err) => logger.error({ err }),
  })
  const { app, close } = createHttpServer({ logger })
  exposePages(app, {
    ...{ reads, live, networks: networkIds, version: 'bench', clock: systemClock },
    sameUrlMs: 0,
  })
  await app.ready()
  const json = (name: string, read: () => Promise<unknown>): NamedRead => ({
    name,
    read: async () => JSON.stringify(await read()),
  })
  const page = (name: string, url: string): NamedRead => ({
    name,
    read: async () => {
      const { statusCode, payload } = await app.inject(url)
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`)
      return payload
    },
  })
  const pages = (name: string, each: readonly NamedRead[]): ReadKind => ({
    ...{ name, limitMs: PAGE_LIMIT_MS, requests: REQUESTS, each },
  })
  const ofNetworks = (urlOf: (filters: { readonly network?: NetworkId }) => string) =>
    [undefined, ...networkIds].map((network) =>
      page(network ?? 'all', urlOf({ ...(network && { network }) })),
    )
  const ofWindows = [undefined, ...windows]
  return {
    kinds: [
      {
        ...{ name: '`/feed`, two filters', limitMs: 15, requests: FEED_REQUESTS },
        each: feedPairs(population).map(({ name, filters }) =>
          json(name, () => reads.feed(filters, { limit: 25 })),
        ),
      },
      {
        ...{ name: '`/stats`, all windows and networks', limitMs: 15, requests: REQUESTS },
        each: [json('all', () => reads.stats({}))],
      },
      {
        ...{ name: '`/ecosystem`', limitMs: 15, requests: REQUESTS },
        each: [undefined, ...networkIds].map((network) =>
          json(network ?? 'all', () => reads.ecosystem(network)),
        ),
      },
      {
        ...{ name: '`/sellers`', limitMs: 30, requests: REQUESTS },
        each: ofWindows.flatMap((window) =>
          [0, 1_000].map((offset) =>
            json(`${window ?? 'all'} from ${offset}`, () =>
              reads.sellers({ ...(window && { window }), limit: 25, offset }),
            ),
          ),
        ),
      },
      {
        ...{ name: '`/seller`', limitMs: 30, requests: REQUESTS },
        each: [0, 100].map((at) => json(`seller ${at}`, () => reads.seller(population.seller(at)))),
      },
      pages('`/ui/`', ofNetworks(linkTo.overview)),
      pages('`/ui/payments`', ofNetworks(linkTo.payments)),
      pages(
        '`/ui/payments/HASH`',
        [0, population.payments - 1].map((at) =>
          page(`payment ${at}`, linkTo.payment(hashOfPayment(at))),
        ),
      ),
      pages('`/ui/sellers`', ofNetworks(linkTo.sellers)),
      pages(
        '`/ui/sellers/ADDRESS`',
        [0, 100].map((at) => page(`seller ${at}`, linkTo.seller(population.seller(at)))),
      ),
      pages('`/ui/facilitators`', ofNetworks(linkTo.facilitators)),
    ],
    [Symbol.asyncDispose]: async () => {
      await live[Symbol.asyncDispose]()
      await close()
    },
  }
}

/** The transaction of the payment with this number, as `fillPayments` names it. */
export function hashOfPayment(number: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(number))
  return createHash('sha256').update(bytes).digest('hex')
}
