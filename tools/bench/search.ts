/**
 * How long the catalog's search takes, and how long the event loop stands still while another thread builds the index.
 * Part of `make bench`. Prints Markdown; docs/search.md explains it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchIndex } from '../../src/catalog/search/index/search-index.ts'
import { searchCatalog } from '../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../src/catalog/search/vectors/load.ts'
import { startIndexBuilder } from '../../src/catalog/search/worker/index-builder.ts'
import { documentOf, readListings, readQueries } from '../eval/judged-set.ts'
import { variedDocuments } from './search/varied-documents.ts'
import { median, quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const SIZES = [500, 20_000]
const ROUNDS = 5
const NANOSECONDS = 1e6

const words = await loadWordVectors()
const originals = readListings().map(documentOf)
const queries = readQueries().map(({ query }) => query)
const builder = startIndexBuilder(words)
// Starts the thread and loads its word vectors.
await builder.build([])

const rows: string[][] = []
for (const size of SIZES) {
  process.stderr.write(`${size} listings\n`)
  const documents = variedDocuments(originals, size)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const start = performance.now()
  const index = await builder.build(documents)
  const buildMs = performance.now() - start
  await sleep(20)
  delays.disable()
  const times = searchTimes(index)
  rows.push([
    size.toLocaleString('en'),
    String(times.length),
    quantile(times, 0.5).toFixed(2),
    quantile(times, 0.95).toFixed(2),
    Math.max(...times).toFixed(2),
    buildMs.toFixed(0),
    (delays.max / NANOSECONDS).toFixed(1),
  ])
}
await builder.close()
process.stdout.write(
  `${markdown(
    [
      'listings',
      'queries',
      'p50, ms',
      'p95, ms',
      'slowest, ms',
      'build in the worker, ms',
      'longest delay of the event loop meanwhile, ms',
    ],
    rows,
  )}\n`,
)

/** How long each query takes: the median of its rounds, since other work on the machine interrupts some. */
function searchTimes(index: SearchIndex): number[] {
  const times = queries.map((): number[] => [])
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, query] of queries.entries()) {
      const start = performance.now()
      searchCatalog(index, words, { query, filters: {} })
      // The first round lets the engine compile what it measures.
      if (round > 0) times[at]?.push(performance.now() - start)
    }
  }
  return times.map(median)
}
