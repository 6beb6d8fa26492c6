import { randomInt } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startCrashDatabase } from '../../test/support/crash-database.ts'
import { shownCount } from '../../test/support/paid-once/shown-count.ts'
import { type Killed, killable, prove } from '../../test/support/paid-once/world.ts'
import setUpPrograms from '../../test/support/programs/programs-setup.ts'

/**
 * `make prove-paid-once`: thousands of purchases over HTTP and MCP while requests and answers get lost, late and doubled, and processes are
 * killed. Prints Markdown, which docs/reliability.md explains. Fails when a purchase was paid twice, or has no goods.
 */

const help = `node tools/chaos/paid-once.ts: buys while everything between buyer and ledger fails

  --count 10000      purchases, half of them over HTTP and half over MCP
  --minutes 60       begin no purchase after that
  --at-once 24       purchases of each half that are made at the same time
  --kill-every 50    purchases from one kill to the next
  --kills LIST       which processes are killed, of ${killable.join(',')}
  --seed N           the random choices of an earlier run
`
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '24' },
    'kill-every': { type: 'string', default: '50' },
    kills: { type: 'string', default: killable.join(',') },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}

const startedAt = performance.now()
const minutes = () => ((performance.now() - startedAt) / 60_000).toFixed(1)
await setUpPrograms()
await using facilitator = await startCrashDatabase({})
await using seller = await startCrashDatabase({})
const half = Math.ceil(Number(values.count) / 2)
const count = await prove({
  databaseUrls: [facilitator.url, seller.url],
  purchases: { http: half, mcp: Number(values.count) - half },
  atOnce: Number(values['at-once']),
  purchasesPerKill: Number(values['kill-every']),
  kills: values.kills.split(',') as Killed[],
  seed: Number(values.seed),
  beginsForMs: Number(values.minutes) * 60_000,
  log: (line) => process.stderr.write(`${minutes()} ${line}\n`),
})
const load = loadavg()[0]?.toFixed(1)
process.stdout.write(
  [
    `Command: \`node tools/chaos/paid-once.ts --count ${values.count} --kills ${values.kills} --seed ${values.seed}\``,
    `Machine: ${availableParallelism()} cores, load ${load}, Node ${process.version}; ${minutes()} minutes`,
    '',
    ...shownCount(count),
    '',
  ].join('\n'),
)
process.exitCode = count.isClean ? 0 : 1
