/**
 * How long the explorer's pages of the catalog take with 20,000 listings and 200,000 settlements of the last 30 days: over HTTP, the
 * question to the catalog included. Part of `make bench`. Prints Markdown; docs/performance.md explains it.
 */
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { openStore } from '../../src/platform/database/open.ts'
import type { Db } from '../../src/platform/database/schema.ts'
import { startCatalogServer } from '../../test/support/explorer/catalog-server.ts'
import { startPagesServer } from '../../test/support/explorer/pages-server.ts'
import { fillCatalog, payee } from './catalog/fill-catalog.ts'
import { monotonicMs } from './monotonic.ts'
import { quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const LISTINGS = 20_000
const SETTLEMENTS = 200_000
const BATCH = 10_000
const REQUESTS = 100
/** Requests before, until the code is compiled. */
const WARM_UP = 30
/** Above this the run fails. */
const P95_LIMIT_MS = 50

await using postgres = await startEmbeddedPostgres()
await using store = await openStore({ kind: 'postgres', url: postgres.url })
await store.migrate()
await fillCatalog(store.db, LISTINGS)
await settle(store.db)
await using catalog = await startCatalogServer(store.db)
await using pages = await startPagesServer({ db: store.db, catalogUrl: catalog.baseUrl })

const ids = await store.db.selectFrom('listings').select('id').limit(REQUESTS).execute()
const views: readonly { readonly name: string; readonly path: (at: number) => string }[] = [
  { name: 'the list', path: (at) => `/ui/catalog?offset=${at * 20}` },
  { name: 'the list, 15,000 down', path: (at) => `/ui/catalog?offset=${15_000 + at * 20}` },
  {
    name: 'scheme, kind, trust',
    path: (at) => `/ui/catalog?scheme=exact&type=http&trust=settled&offset=${at * 20}`,
  },
  { name: 'seller', path: (at) => `/ui/catalog?payTo=${payee(at)}` },
  { name: 'a question', path: (at) => `/ui/catalog?q=service+${at}` },
  { name: 'a listing', path: (at) => `/ui/catalog/${ids[at]?.id}` },
]

const rows: string[][] = []
let isTooSlow = false
for (const { name, path } of views) {
  for (let at = 0; at < WARM_UP; at += 1) await get(path(at))
  const times: number[] = []
  const cpu = process.cpuUsage()
  for (let at = 0; at < REQUESTS; at += 1) {
    const from = monotonicMs()
    await get(path(at))
    times.push(monotonicMs() - from)
  }
  const { user, system } = process.cpuUsage(cpu)
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
  isTooSlow ||= p95 > P95_LIMIT_MS
  const perPage = (user + system) / 1_000 / REQUESTS
  rows.push([name, ...[p50, p95, perPage].map((ms) => `${ms.toFixed(1)} ms`)])
}
const head = ['page', 'p50', 'p95', 'processor time of a page, catalog included']
process.stdout.write(
  `## The pages of the catalog, ${LISTINGS.toLocaleString('en')} listings\n\n${markdown(head, rows)}\n`,
)
if (isTooSlow) {
  process.stderr.write(`A p95 is above ${P95_LIMIT_MS} ms.\n`)
  process.exitCode = 1
}

async function get(path: string): Promise<void> {
  const answer = await fetch(pages.baseUrl + path)
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
}

/** Half of the settlements are of a hundred listings. */
async function settle(db: Db): Promise<void> {
  const listed = await db.selectFrom('listings').select('id').orderBy('revision').execute()
  const all = listed.map(({ id }) => id)
  for (let from = 1; from <= SETTLEMENTS; from += BATCH) {
    await sql`insert into catalog_outcomes (settlement_id, network, payer, nonce, pay_to, transaction, status, code, listing_id, dropped, at)
      select n, 'stellar:testnet', 'payer', n, 'payee', md5(n::text) || md5(n::text), 'success', 'recorded',
        (${all}::uuid[])[1 + case when n % 2 = 0 then n / 2 % 100 else n % ${LISTINGS}::integer end], '{}',
        now() - n * 13 % 2592000 * interval '1 second'
      from generate_series(${from}::integer, ${from + BATCH - 1}::integer) n`.execute(db)
  }
  await sql`insert into listing_versions (listing_id, version, created_at, cause, owner, trust, state, content)
    select id, version, first_cataloged_at, 'settlement', owner, trust, state, content from listings`.execute(
    db,
  )
  const outcome = {
    phase: 'origin',
    status: 'success',
    code: 'recorded',
    at: '2026-01-01T00:00:00Z',
  }
  await sql`update listings set last_outcome = ${JSON.stringify(outcome)}`.execute(db)
  await sql`vacuum analyze catalog_outcomes, listings`.execute(db)
}
