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
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { DAYS } from './explorer/fill-payments.ts'
import { measureIngest } from './explorer/ingest-speed.ts'
import { populationOf } from './explorer/population.ts'
import { type NamedRead, openMeasuredReads } from './explorer/reads.ts'
import { measureWrites } from './explorer/write-speed.ts'
import { readThreads, timeBetween, withChildren } from './hostile/threads.ts'
import { monotonicMs } from './monotonic.ts'
import { quantile, sum } from './statistics.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const ROWS = Number(values.rows)
const PARALLEL = 20
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
await using measured = await openMeasuredReads(store.db, population)

const rows: string[][] = []
const tooSlow: string[] = []
for (const { name, limitMs, requests, each } of measured.kinds) {
  process.stderr.write(`${name}\n`)
  const forms: Form[] = []
  for (const request of each) forms.push(await measure(request, requests))
  const slowest = largest(forms, ({ times }) => quantile(times, 0.95))
  const dearest = largest(forms, ({ processorMs }) => processorMs)
  const all = forms.flatMap(({ times }) => times)
  const together = await inParallel(each.map(({ read }) => read))
  const worst = quantile(slowest.times, 0.95)
  if (worst > limitMs * slack) tooSlow.push(`${name}: p95 of ${slowest.name} ${ms(worst)}`)
  const p95 = quantile(together, 0.95)
  if (p95 > PARALLEL_LIMIT_MS * slack)
    tooSlow.push(`${name}: p95 at ${PARALLEL} parallel ${ms(p95)}`)
  rows.push([
    ...[name, ms(quantile(all, 0.5)), ms(quantile(all, 0.95)), `${ms(worst)} (${slowest.name})`],
    ms(sum(forms.map(({ processorMs }) => processorMs)) / forms.length),
    `${ms(dearest.processorMs)} (${dearest.name})`,
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

const head = [
  ...['read', 'p50', 'p95', 'p95 of the slowest', 'processor time', 'of the dearest'],
  ...[`p50 at ${PARALLEL} parallel`, 'p95'],
]
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

interface Form {
  readonly name: string
  /** Milliseconds of each request. */
  readonly times: readonly number[]
  /** Of this process and of Postgres, for a request. Other programs on the machine hardly change it. */
  readonly processorMs: number
}

async function measure({ name, read }: NamedRead, requests: number): Promise<Form> {
  await read()
  const own = process.cpuUsage()
  const before = readThreads(withChildren(postgres.pid))
  const times: number[] = []
  for (let at = 0; at < requests; at += 1) times.push(await timed(read))
  const { user, system } = process.cpuUsage(own)
  const { runMs } = timeBetween(before, readThreads(withChildren(postgres.pid)))
  return { name, times, processorMs: ((user + system) / 1_000 + runMs) / requests }
}

function largest(forms: readonly Form[], of: (form: Form) => number): Form {
  const [first, ...others] = forms
  if (!first) throw new Error('nothing was measured')
  return others.reduce((most, form) => (of(form) > of(most) ? form : most), first)
}

async function timed(read: () => Promise<unknown>): Promise<number> {
  const from = monotonicMs()
  await read()
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
