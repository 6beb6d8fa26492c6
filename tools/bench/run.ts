/**
 * `make bench`: verify and settle, ours and the stock facilitator, side by side on one embedded
 * network in one run. Prints Markdown; docs/performance.md says how to read it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { xdr } from '@stellar/stellar-sdk'
import { runSection, type Section, type SectionResult } from './contest.ts'
import { benchEngine } from './engine.ts'
import { ledgerRoom } from './ledger-room.ts'
import { benchProcess } from './process.ts'
import {
  costTable,
  failureLines,
  ownTimeTable,
  roomTable,
  settleTable,
  verifyTable,
} from './tables.ts'
import { openWorld, type World } from './world.ts'

/** Enough for the most in flight: with fewer, what is measured is the wait for a channel. */
const CHANNELS = 100
const ENGINE_CHANNELS = 500
const CLOSE_EVERY_MS = 1_000

const verifySections: readonly Section[] = [
  { endpoint: '/verify', inFlight: 1, rounds: 6, requestsPerRound: 50 },
  { endpoint: '/verify', inFlight: 20, rounds: 4, requestsPerRound: 150 },
  { endpoint: '/verify', inFlight: 100, rounds: 4, requestsPerRound: 300 },
]

const settleSections: readonly Section[] = [
  {
    endpoint: '/settle',
    inFlight: 1,
    rounds: 3,
    requestsPerRound: 7,
    spreadMs: CLOSE_EVERY_MS,
  },
  { endpoint: '/settle', inFlight: 1, rounds: 3, requestsPerRound: 4 },
  { endpoint: '/settle', inFlight: 20, rounds: 3, requestsPerRound: 80 },
  { endpoint: '/settle', inFlight: 100, rounds: 3, requestsPerRound: 300 },
]

/** Not counted: code that has not run yet is slow once. */
const warmUp: readonly Section[] = [
  { endpoint: '/verify', inFlight: 100, rounds: 2, requestsPerRound: 400 },
  { endpoint: '/settle', inFlight: 20, rounds: 1, requestsPerRound: 40 },
]

const help = `node tools/bench/run.ts: verify and settle, ours and the stock facilitator

  --channels 100   of either facilitator
  --only PART      verify, settle, process, or engine: 500 settlements at once, not part of the rest
  --profile DIR    leave a CPU profile of every process there
`
const { values } = parseArgs({
  options: {
    channels: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const isEngine = values.only === 'engine'
const channels = Number(values.channels ?? (isEngine ? ENGINE_CHANNELS : CHANNELS))
const wanted = (sections: readonly Section[]) =>
  sections.filter(({ endpoint }) => values.only === undefined || endpoint === `/${values.only}`)
const progress = (line: string) => process.stderr.write(`${line}\n`)
const print = (...lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n\n`)

const loadBefore = loadavg()
if (isEngine) {
  await benchEngine({ channels, profileFolder: values.profile, progress, print })
  print('## Circumstances', '', ...machine())
  process.exit(0)
}
if (values.only === 'process') {
  await benchProcess({ progress, print })
  print('## Circumstances', '', ...machine())
  process.exit(0)
}
progress('Starting the network, Postgres and both facilitators')
await using world = await openWorld({
  channels,
  closeEveryMs: CLOSE_EVERY_MS,
  profileFolder: values.profile,
})
assertBothWork(await runAll(warmUp))
const verified = await runAll(wanted(verifySections))
const settled = await runAll(wanted(settleSections))
await report()
if (values.only === undefined) await benchProcess({ progress, print })

async function runAll(sections: readonly Section[]): Promise<SectionResult[]> {
  const results: SectionResult[] = []
  for (const section of sections) {
    const { endpoint, inFlight, rounds, requestsPerRound } = section
    progress(`${endpoint}, ${inFlight} in flight: ${rounds} rounds of ${requestsPerRound} each`)
    results.push(await runSection(world, section))
  }
  return results
}

/** Figures of a facilitator that refuses everything say nothing. */
function assertBothWork(results: readonly SectionResult[]): void {
  const useless = results.some(({ ours, stock }) =>
    [ours, stock].some((rounds) =>
      rounds.every(({ samples }) => samples.every(({ failure }) => failure !== undefined)),
    ),
  )
  if (useless) throw new Error(`nothing to compare:\n${failureLines(results).join('\n')}`)
}

async function report(): Promise<void> {
  print('## Circumstances', ...circumstances())
  const [one] = verified
  if (one) {
    print('## Verify', '', verifyTable(verified))
    print('## Own time of verify, 1 in flight', '', ownTimeTable(one))
  }
  if (settled.length > 0) print('## Settle', '', settleTable(settled))
  print('## Requests for one answer', '', costTable([...verified.slice(0, 1), ...settled]))
  const failures = failureLines([...verified, ...settled])
  if (failures.length > 0) print('## Failures', '', ...failures.map((line) => `- ${line}`))
  if (settled.length > 0) print('## Room in a ledger', '', await roomOf(world, settled))
}

function machine(): string[] {
  const load = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' ')
  return [
    `- ${availableParallelism()} processors, Node ${process.versions.node}; everything on this machine`,
    `- load average before ${load(loadBefore)}, after ${load(loadavg())}; idle would be 0`,
  ]
}

function circumstances(): string[] {
  return [
    '',
    ...machine(),
    `- one embedded network with testnet's limits, a ledger every ${CLOSE_EVERY_MS / 1000} s; ` +
      `${channels} channels for either facilitator`,
    '- the stock facilitator asks the public Horizon at every verify; here that fails at once and ' +
      'costs no time, as the stock client that makes the payments',
  ]
}

async function roomOf({ rpc }: World, results: readonly SectionResult[]): Promise<string> {
  const landed = results.flatMap(({ ours }) => ours.flatMap((round) => round.landed))
  const [settlement] = landed
  if (!settlement) return 'nothing was settled'
  const envelope = xdr.TransactionEnvelope.fromXdr(settlement.envelopeXdr, 'base64')
  return roomTable(await ledgerRoom(rpc, envelope))
}
