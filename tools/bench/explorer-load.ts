/**
 * `svc explorer` in its own process at 100 requests a second, while payments are made. The last part of
 * `make bench-explorer`. Prints Markdown; docs/performance.md explains it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { linkTo } from '../../src/explorer/web/links.ts'
import { explorerPaths } from '../../src/platform/core/http-paths.ts'
import { type Population, populationOf } from './explorer/population.ts'
import { hashOfPayment } from './explorer/reads.ts'
import type { ReaderAnswers, ReaderLoad } from './explorer/steady-reader.ts'
import { honestResult, openHonest } from './hostile/honest.ts'
import { runSteadyLoad } from './hostile/load.ts'
import { readThreads, timeBetween, withChildren } from './hostile/threads.ts'
import { openHostileWorld } from './hostile/world.ts'
import { startProgram } from './program.ts'
import { quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '15' },
  },
})
const payments = Number(values.rows)
const seconds = Number(values.seconds)
const PER_SECOND = 100
const CHANNELS = 20
const PAYMENTS_PER_SECOND = 10
/** Not counted: the first requests compile what the others use. */
const WARM_UP_SECONDS = 4
/** Paths of a load whose requests all differ. */
const DIFFERENT = 1_000

interface Row {
  readonly name: string
  /** None: payments alone. */
  readonly paths: readonly string[]
  /** Of the 95th percentile. */
  readonly limitMs?: number
}

const population = populationOf(payments)
const loads: readonly Row[] = [
  { name: 'nothing', paths: [] },
  { name: '`/feed`', paths: [explorerPaths.feed], limitMs: 60 },
  { name: '`/ui/`', paths: [linkTo.overview()], limitMs: 120 },
  { name: '`/feed` of another seller or buyer each time', paths: feeds(population) },
  { name: 'pages of another seller or payment each time', paths: pages(population) },
]

process.stderr.write('Starting the network, the facilitator and the explorer\n')
await using world = await openHostileWorld(CHANNELS, { payments, isOwnProcess: true })
const honest = await openHonest(world)
await using reader = await startProgram({
  name: 'reader',
  args: [fileURLToPath(new URL('explorer/steady-reader.ts', import.meta.url))],
  env: { EXPLORER_URL: world.explorerUrl },
  isReady: ({ ready }) => ready === true,
})
const read = async (load: ReaderLoad) => (await reader.ask(JSON.stringify(load))) as ReaderAnswers

const loadBefore = loadavg()[0] ?? Number.NaN
const rows: string[][] = []
const tooSlow: string[] = []
let alone = { explorer: 0, postgres: 0 }
for (const { name, paths, limitMs = Number.POSITIVE_INFINITY } of loads) {
  process.stderr.write(`${name}\n`)
  if (paths.length > 0) await read({ paths, perSecond: PER_SECOND, seconds: WARM_UP_SECONDS })
  const since = startTimes()
  const [paid, { times, failures }] = await Promise.all([
    runSteadyLoad({ url: world.url, pay: honest, perSecond: PAYMENTS_PER_SECOND, seconds }),
    paths.length > 0 ? read({ paths, perSecond: PER_SECOND, seconds }) : { times: [], failures: 0 },
  ])
  const took = since()
  const honestly = honestResult(paid)
  const p95 = quantile(times, 0.95)
  if (p95 > limitMs) tooSlow.push(`${name}: p95 ${ms(p95)}`)
  if (failures > 0) tooSlow.push(`${name}: ${failures} answers other than 200`)
  const each = (own: number, before: number) => ms((own - before) / times.length)
  rows.push([
    ...[name, ...[0.5, 0.95].map((share) => (paths.length > 0 ? ms(quantile(times, share)) : ''))],
    ...(paths.length > 0
      ? [each(took.explorer, alone.explorer), each(took.postgres, alone.postgres)]
      : ['', '']),
    ...[ms(honestly.p95), String([...honestly.refusals.values()].length)],
  ])
  if (paths.length === 0) alone = took
}

process.stdout.write(
  `## The explorer at ${PER_SECOND} requests a second, with ${payments.toLocaleString('en')} payments\n\n` +
    `${markdown(
      [
        ...['reads', 'p50', '**p95**', 'processor time of the explorer', 'of Postgres'],
        ...['p95 of payments', 'refused'],
      ],
      rows,
    )}\n\n${availableParallelism()} processors; load average before ${loadBefore.toFixed(1)}; ` +
    `${PAYMENTS_PER_SECOND} payments a second.\n`,
)
if (tooSlow.length > 0) {
  process.stderr.write(`Above the limit: ${tooSlow.join('; ')}.\n`)
  process.exitCode = 1
}

/** @returns processor time since then, in milliseconds */
function startTimes() {
  const threads = () => ({
    explorer: readThreads([world.pids.explorer]),
    postgres: readThreads(withChildren(world.pids.postgres)),
  })
  const before = threads()
  return () => {
    const after = threads()
    return {
      explorer: timeBetween(before.explorer, after.explorer).runMs,
      postgres: timeBetween(before.postgres, after.postgres).runMs,
    }
  }
}

function feeds({ seller, buyer }: Population): string[] {
  return Array.from({ length: DIFFERENT }, (_, at) =>
    at % 2 === 0
      ? `${explorerPaths.feed}?seller=${seller(at / 2)}`
      : `${explorerPaths.feed}?buyer=${buyer((at - 1) / 2)}`,
  )
}

function pages({ seller }: Population): string[] {
  return Array.from({ length: DIFFERENT }, (_, at) =>
    at % 2 === 0 ? linkTo.seller(seller(at / 2)) : linkTo.payment(hashOfPayment(at)),
  )
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
