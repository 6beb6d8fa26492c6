/**
 * How long the list of the catalog takes with 20,000 listings: every filter and many pairs, first pages and deep ones,
 * totals included, while settlements count. Part of `make bench`. Prints Markdown; docs/performance.md explains it.
 */
import { discoveryRoutes } from '../../src/catalog/discovery/routes.ts'
import { CatalogItems } from '../../src/catalog/items/catalog-items.ts'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { createHttpServer } from '../../src/platform/http/server/server.ts'
import { createLogger } from '../../src/platform/telemetry/logs/logger.ts'
import { fillCatalog, payee, publishOne, settleSome } from './catalog/fill-catalog.ts'
import { monotonicMs } from './monotonic.ts'
import { quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const LISTINGS = 20_000
const REQUESTS = 300
/** Requests before, until the code is compiled. */
const WARM_UP = 100
/** Above this the run fails. */
const P95_LIMIT_MS = 15

const lists: readonly { name: string; query: Record<string, string> }[] = [
  { name: 'no filter', query: {} },
  { name: 'no filter, 15,000 down', query: { offset: '15000' } },
  { name: 'type', query: { type: 'http', offset: '400' } },
  { name: 'network and scheme', query: { network: 'stellar:testnet', scheme: 'exact' } },
  {
    name: 'network and scheme, 5,000 down',
    query: { network: 'stellar:testnet', scheme: 'exact', offset: '5000' },
  },
  {
    name: 'extensions and type',
    query: { extensions: 'bazaar,payment-identifier', type: 'http' },
  },
  { name: 'payTo', query: { payTo: payee(77) } },
  { name: 'payTo and network', query: { payTo: payee(77), network: 'stellar:pubnet' } },
  { name: '100 items', query: { limit: '100', scheme: 'exact' } },
]

await using postgres = await startEmbeddedPostgres()
await using store = await openStore({ kind: 'postgres', url: postgres.url })
await store.migrate()
await fillCatalog(store.db, LISTINGS)

await using server = createHttpServer({ logger: createLogger({ level: 'error' }) })
discoveryRoutes(server.app, {
  db: store.db,
  items: new CatalogItems({
    db: store.db,
    onSkipped: (_id, error) => {
      throw error
    },
  }),
  search: { search: async () => undefined },
  cursorSecret: Buffer.alloc(32),
  clock: systemClock,
})
const { url } = await server.listen({ host: '127.0.0.1', port: 0 })

const startedAt = monotonicMs()
await list({})
process.stderr.write(`the first request: ${(monotonicMs() - startedAt).toFixed(0)} ms\n`)
for (let at = 0; at < WARM_UP; at += 1) await list({ type: 'http', offset: String(at) })

const rows: string[][] = []
let isTooSlow = false
for (const { name, query } of lists) {
  const times: number[] = []
  let total = 0
  for (let at = 0; at < REQUESTS; at += 1) {
    // Settlements keep counting, and every tenth request comes after a new listing.
    await (at % 10 === 0 ? publishOne(store.db) : settleSome(store.db, at))
    const from = monotonicMs()
    total = await list(query)
    times.push(monotonicMs() - from)
  }
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
  isTooSlow ||= p95 > P95_LIMIT_MS
  rows.push([name, total.toLocaleString('en'), `${p50.toFixed(1)} ms`, `${p95.toFixed(1)} ms`])
}
const head = ['list', 'items in all', 'p50', 'p95']
process.stdout.write(
  `## The catalog's list, ${LISTINGS.toLocaleString('en')} listings\n\n${markdown(head, rows)}\n`,
)
if (isTooSlow) {
  process.stderr.write(`A p95 is above ${P95_LIMIT_MS} ms.\n`)
  process.exitCode = 1
}

async function list(query: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/discovery/resources?${new URLSearchParams(query)}`, {
    headers: { 'accept-encoding': 'identity' },
  })
  const { pagination } = (await response.json()) as { pagination: { total: number } }
  return pagination.total
}
