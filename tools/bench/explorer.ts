/**
 * How long the explorer's reads take and how fast it writes, with 1,000,000 generated payments (`--rows` for another
 * number). Part of `make bench`; `make bench-explorer ROWS=10000000` runs it alone. Nothing is cached. Prints Markdown;
 * docs/performance.md explains it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { openReads } from '../../src/explorer/open-reads.ts'
import { windows } from '../../src/explorer/store/tables.ts'
import { networkIds } from '../../src/platform/core/caip2.ts'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { feedPairs } from './explorer/feed-pairs.ts'
import { DAYS } from './explorer/fill-payments.ts'
import { measureIngest } from './explorer/ingest-speed.ts'
import { populationOf } from './explorer/population.ts'
import { measureWrites } from './explorer/write-speed.ts'
import { monotonicMs } from './monotonic.ts'
import { quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const ROWS = Number(values.rows)
const PARALLEL = 20
/** Requests for each pair of filters, and for each other read. */
const FEED_REQUESTS = 20
const REQUESTS = 100
const WRITTEN = 20_000
const INGESTED = 10_000
/** How long they take to come, with 100 in a ledger of 5 s. The reader refuses ledgers that close in the future. */
const INGESTED_SECONDS = INGESTED / 20
/** Payments a second, from the pages of an endpoint on loopback. */
const INGEST_LIMIT = 2_000
/** Memory limit of the process that reads and writes. */
const RSS_LIMIT_MB = 250
/** At 20 parallel, of any read. */
const PARALLEL_LIMIT_MS = 150
/** Larger tables may take this much longer. */
const slack = ROWS > 1_000_000 ? 1.5 : 1

await using postgres = await startEmbeddedPostgres()
const now = Math.floor(systemClock.now() / 1_000)
const population = populationOf(ROWS)
await fill()
await using store = await openStore({ kind: 'postgres', url: postgres.url })
const kinds = readsToMeasure()

const rows: string[][] = []
const tooSlow: string[] = []
for (const { name, limitMs, requests, each } of kinds) {
  process.stderr.write(`${name}\n`)
  let worst = { name: '', p95: 0 }
  const all: number[] = []
  for (const request of each) {
    const times: number[] = []
    await request.read()
    for (let at = 0; at < requests; at += 1) times.push(await timed(request.read))
    const p95 = quantile(times, 0.95)
    if (p95 > worst.p95) worst = { name: request.name, p95 }
    all.push(...times)
  }
  const together = await inParallel(each.map(({ read }) => read))
  if (worst.p95 > limitMs * slack) tooSlow.push(`${name}: p95 of ${worst.name} ${ms(worst.p95)}`)
  const p95 = quantile(together, 0.95)
  if (p95 > PARALLEL_LIMIT_MS * slack)
    tooSlow.push(`${name}: p95 at ${PARALLEL} parallel ${ms(p95)}`)
  rows.push([
    ...[name, ms(quantile(all, 0.5)), ms(quantile(all, 0.95)), `${ms(worst.p95)} (${worst.name})`],
    ...[ms(quantile(together, 0.5)), ms(p95)],
  ])
}
const rss = process.memoryUsage.rss() / 2 ** 20

if (rss > RSS_LIMIT_MB) tooSlow.push(`the process holds ${rss.toFixed(0)} MB`)

const writes: string[][] = []
for (const batch of [1_000, 200, 20]) {
  process.stderr.write(`writes of ${batch}\n`)
  const from = now + 3_600 + batch
  const perSecond = await measureWrites(store.db, population, { payments: WRITTEN, batch, from })
  writes.push([String(batch), perSecond.toFixed(0)])
}

process.stderr.write('ingest\n')
const ingested = await measureIngest(store.db, ROWS, {
  ...{ payments: INGESTED, from: now - INGESTED_SECONDS },
})
if (ingested < INGEST_LIMIT / slack)
  tooSlow.push(`ingest: ${ingested.toFixed(0)} payments a second`)

const head = ['read', 'p50', 'p95', 'p95 of the slowest', `p50 at ${PARALLEL} parallel`, 'p95']
process.stdout.write(
  `## The explorer with ${ROWS.toLocaleString('en')} payments of ${DAYS} days\n\n${markdown(head, rows)}\n\n` +
    `The process holds ${rss.toFixed(0)} MB.\n\n` +
    `${markdown(['payments of a transaction', 'written per second'], writes)}\n\n` +
    `${ingested.toFixed(0)} payments a second are read from pages, classified and written.\n`,
)
if (tooSlow.length > 0) {
  process.stderr.write(`Above the limit: ${tooSlow.join('; ')}.\n`)
  process.exitCode = 1
}

async function fill(): Promise<void> {
  const startedAt = monotonicMs()
  const script = fileURLToPath(new URL('explorer/fill.ts', import.meta.url))
  const child = spawn(process.execPath, [script, postgres.url, String(ROWS), String(now)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the database could not be filled')
  process.stderr.write(`filled in ${((monotonicMs() - startedAt) / 1_000).toFixed(0)} s\n`)
}

function readsToMeasure() {
  const it = openReads({
    db: store.db,
    clock: systemClock,
    networks: networkIds,
    watchedAssets: {},
    goodForMs: { stats: 0, ecosystem: 0 },
  })
  const ofWindows = [undefined, ...windows]
  return [
    {
      ...{ name: '`/feed`, two filters', limitMs: 15, requests: FEED_REQUESTS },
      each: feedPairs(population).map(({ name, filters }) => ({
        name,
        read: () => it.feed(filters, { limit: 25 }),
      })),
    },
    {
      ...{ name: '`/stats`', limitMs: 15, requests: REQUESTS },
      each: ofWindows.flatMap((window) =>
        [undefined, ...networkIds].map((network) => ({
          name: `${window ?? 'all'} ${network ?? ''}`,
          read: () => it.stats({ ...(window && { window }), ...(network && { network }) }),
        })),
      ),
    },
    {
      ...{ name: '`/ecosystem`', limitMs: 15, requests: REQUESTS },
      each: [undefined, ...networkIds].map((network) => ({
        name: network ?? 'all',
        read: () => it.ecosystem(network),
      })),
    },
    {
      ...{ name: '`/sellers`', limitMs: 30, requests: REQUESTS },
      each: ofWindows.flatMap((window) =>
        [0, 1_000].map((offset) => ({
          name: `${window ?? 'all'} from ${offset}`,
          read: () => it.sellers({ ...(window && { window }), limit: 25, offset }),
        })),
      ),
    },
    {
      ...{ name: '`/seller`', limitMs: 30, requests: REQUESTS },
      each: [0, 100].map((at) => ({
        name: `seller ${at}`,
        read: () => it.seller(population.seller(at)),
      })),
    },
  ]
}

async function timed(read: () => Promise<unknown>): Promise<number> {
  const from = monotonicMs()
  JSON.stringify(await read())
  return monotonicMs() - from
}

/** Each of `PARALLEL` clients asks again as soon as it is answered. */
async function inParallel(each: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const times: number[] = []
  const total = Math.max(each.length, 400)
  let next = 0
  const client = async () => {
    while (next < total) {
      const read = each[next++ % each.length]
      if (read) times.push(await timed(read))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, client))
  return times
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
