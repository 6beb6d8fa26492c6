/**
 * `make chaos`: many rounds of ingest for the explorer, while processes that ingest die and the RPC lies. Prints Markdown.
 * Fails when a payment is missing, doubled or not on the ledger, or a figure differs from a recount.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openStore } from '../../src/platform/database/open.ts'
import { startCrashDatabase } from '../../test/support/crash-database.ts'
import { seededRandom } from '../../test/support/crash-random.ts'
import {
  type IngestRoundResult,
  playIngestRound,
} from '../../test/support/explorer/ingest-round.ts'
import { recordChain } from '../../test/support/explorer/recorded-chain.ts'

const HOUR_MS = 3_600_000

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const seed = Number(values.seed)
const startedAt = performance.now()
const random = seededRandom(seed)
const now = Date.now()
const chains = [
  await recordChain({ ledgers: 190, startMs: now - 60 * HOUR_MS, random }),
  await recordChain({ ledgers: 25, startMs: now - 8 * HOUR_MS, random }),
] as const
await using database = await startCrashDatabase({})
await using store = await openStore({ kind: 'postgres', url: database.url })
await store.migrate()

const results: IngestRoundResult[] = []
for (let round = Number(values.from); round <= Number(values.rounds); round++) {
  const options = { store, databaseUrl: database.url, chains, random: seededRandom(seed + round) }
  const result = await playIngestRound(options)
  results.push(result)
  const { differences, ...figures } = result
  process.stderr.write(`${round}: ${JSON.stringify(figures)} ${differences.join('; ')}\n`)
}

const sum = (of: (result: IngestRoundResult) => number) =>
  results.reduce((total, result) => total + of(result), 0)
const failed = results.filter(({ differences }) => differences.length > 0)
process.stdout.write(
  [
    `Command: \`node tools/chaos/explorer.ts --rounds ${values.rounds} --seed ${seed}\`; ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`,
    '',
    '| Rounds | Payments | Lies of the RPC | Terms of the lease | Resets | Ledgers in gaps | Rounds with a difference |',
    '| -: | -: | -: | -: | -: | -: | -: |',
    `| ${results.length} | ${sum(({ payments }) => payments)} | ${sum(({ lies }) => lies)} | ${sum(({ terms }) => terms)} | ${sum(({ hasReset }) => Number(hasReset))} | ${sum(({ gapLedgers }) => gapLedgers)} | ${failed.length} |`,
    '',
  ].join('\n'),
)
process.exitCode = failed.length === 0 && results.length > 0 ? 0 : 1
