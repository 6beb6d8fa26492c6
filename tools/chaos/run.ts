import { randomInt } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startLocalnetServer } from '../../src/localnet/server/server.ts'
import {
  type DatabaseShape,
  missingForDatabase,
  startCrashDatabase,
} from '../../test/support/crash-database.ts'
import { type Disaster, disasters } from '../../test/support/crash-disasters.ts'
import { type LaneOptions, openLane } from '../../test/support/crash-lane.ts'
import { seededRandom } from '../../test/support/crash-random.ts'
import { playRound, type RoundResult } from '../../test/support/crash-round.ts'
import { Report } from './report.ts'

/**
 * `make chaos`: many rounds of the crash matrix. Every disaster has a lane of its own; all run at once on one
 * embedded network, so they also change each other's timing. Prints Markdown, which docs/reliability.md
 * explains. Fails when a payment was lost or doubled, an answer was untrue, or a channel stuck.
 */

const CHANNELS = 7
const CLOSE_EVERY_MS = 250
const CHECK_EVERY_MS = 100
/** Longer than claims, leases and following last in these lanes. */
const REPLICA_FROZEN_MS = 5_000

const help = `node tools/chaos/run.ts: kills facilitators and databases while they settle

  --rounds 20     of each disaster; each has one payment at every point
  --minutes 25    start no round after that
  --frozen 30     seconds that Postgres is frozen
  --seed N        the random choices of an earlier run
  --only PART     disasters with this in their name
  --pooled        every facilitator reaches its database through PgBouncer
`
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '25' },
    frozen: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', default: '' },
    pooled: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const seed = Number(values.seed)
const rounds = Number(values.rounds)
const lastStart = performance.now() + Number(values.minutes) * 60_000
const log = (line: string) => process.stderr.write(`${line}\n`)

const startedAt = performance.now()
const report = new Report()
const stalls = watchForStalls()
await using localnet = await startLocalnetServer({ closeEveryMs: CLOSE_EVERY_MS })
const chosen = disasters.filter(({ name }) => name.includes(values.only)).filter(canRun)
const ended = await Promise.allSettled(chosen.map(playLane))
const minutes = minutesSince(startedAt)

const load = loadavg()[0]?.toFixed(1)
process.stdout.write(
  [
    `Command: \`node tools/chaos/run.ts --rounds ${rounds} --frozen ${values.frozen} --seed ${seed}${values.pooled ? ' --pooled' : ''}\``,
    `Machine: ${availableParallelism()} cores, load ${load}, Node ${process.version}; ${minutes} minutes`,
    `Longest stall of this program: ${(stalls.longestMs / 1_000).toFixed(1)} s`,
    '',
    ...report.lines,
    '',
  ].join('\n'),
)
for (const lane of ended)
  if (lane.status === 'rejected') log(`A lane failed: ${lane.reason?.stack}`)
const isComplete = ended.every(({ status }) => status === 'fulfilled')
process.exitCode = isComplete && report.isClean && report.rounds > 0 ? 0 : 1

function shapeFor({ database = {} }: Disaster): DatabaseShape {
  return { ...database, ...(values.pooled && { isPooled: true }) }
}

function canRun(disaster: Disaster): boolean {
  const missing = missingForDatabase(shapeFor(disaster))
  if (missing !== undefined) log(`skipped: ${disaster.name}: ${missing}`)
  return missing === undefined
}

async function playLane(disaster: Disaster, index: number): Promise<void> {
  const isFrozenDatabase = disaster.name === 'Postgres frozen'
  const frozenMs = isFrozenDatabase ? Number(values.frozen) * 1_000 : REPLICA_FROZEN_MS
  const random = seededRandom(seed + index)
  await using database = await startCrashDatabase(shapeFor(disaster))
  const options: LaneOptions = {
    localnet,
    databaseUrl: database.url,
    channels: CHANNELS,
    replicas: disaster.replicas,
  }
  await using lane = await openLane(options)
  const ledger = localnet.network.latest.sequence
  let paid = 0
  for (let round = 1; round <= rounds && performance.now() < lastStart; round++) {
    const result = await playRound({ lane, disaster, database, frozenMs, random })
    report.add(disaster.name, result, CHANNELS)
    paid += result.tallies.length + CHANNELS
    log(`${minutesSince(startedAt)} ${disaster.name}, round ${round}: ${summary(result)}`)
  }
  // A second count over all ledgers: a payment could have been made twice later.
  report.addTotals(disaster.name, { expected: paid, found: lane.transfersAfter(ledger).length })
}

function minutesSince(start: number): string {
  return ((performance.now() - start) / 60_000).toFixed(1)
}

function summary({ tallies, channelsUsed, budget, attack }: RoundResult): string {
  const bad = tallies.filter(
    (tally) => tally.found !== 1 || tally.untrue + tally.stuck + tally.uncataloged > 0,
  )
  const result = bad.length === 0 ? 'no failure' : JSON.stringify(bad)
  const wasted = attack
    ? `, ${attack.failures} of at most ${attack.bound} wasted, ${attack.refusals} refused`
    : ''
  return `${result}; ${channelsUsed} channels used, budget ${budget.counted} of ${budget.charged} stroops${wasted}`
}

/**
 * Measures how long this whole process stalled: on a paused or overloaded machine every deadline passes at
 * once, which says nothing about the service under test.
 */
function watchForStalls(): { readonly longestMs: number } {
  let last = performance.now()
  let longestMs = 0
  setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last - CHECK_EVERY_MS)
    last = now
  }, CHECK_EVERY_MS).unref()
  return {
    get longestMs() {
      return longestMs
    },
  }
}
