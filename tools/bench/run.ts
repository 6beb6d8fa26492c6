/**
 * `make bench`: compares verify and settle of our facilitator with the stock one, on one
 * embedded network in one run. Prints Markdown; docs/performance.md explains it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { xdr } from '@stellar/stellar-sdk'
import { runSection, type Section, type SectionResult } from './compare-facilitators.ts'
import { benchEngine } from './engine.ts'
import { ledgerCapacity } from './ledger-capacity.ts'
import { benchProcess } from './process.ts'
import {
  capacityTable,
  costTable,
  failureLines,
  ownTimeTable,
  settleTable,
  verifyTable,
} from './tables.ts'
import { openWorld, type World } from './world.ts'

/** The largest number of requests in flight: with fewer channels, settlements would wait for one. */
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

/** Warm-up, not counted. */
const warmUp: readonly Section[] = [
  { endpoint: '/verify', inFlight: 100, rounds: 2, requestsPerRound: 400 },
  { endpoint: '/settle', inFlight: 20, rounds: 1, requestsPerRound: 40 },
]

const help = `node tools/bench/run.ts: verify and settle, ours and the stock facilitator

  --channels 100   for each facilitator
  --only PART      verify, settle, process, or engine (500 settlements at once; not part of the default run)
  --profile DIR    write a CPU profile of each process to DIR
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
const selected = (sections: readonly Section[]) =>
  sections.filter(({ endpoint }) => values.only === undefined || endpoint === `/${values.only}`)
const progress = (line: string) => process.stderr.write(`${line}\n`)
const print = (...lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n\n`)

const loadBefore = loadavg()
if (isEngine) {
  await benchEngine({ channels, profileFolder: values.profile, progress, print })
  print('## Environment', '', ...machine())
  process.exit(0)
}
if (values.only === 'process') {
  await benchProcess({ progress, print })
  print('## Environment', '', ...machine())
  process.exit(0)
}
progress('Starting the network, Postgres and both facilitators')
await using world = await openWorld({
  channels,
  closeEveryMs: CLOSE_EVERY_MS,
  profileFolder: values.profile,
})
assertBothWork(await runAll(warmUp))
const verified = await runAll(selected(verifySections))
const settled = await runAll(selected(settleSections))
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

/** A facilitator that refuses everything cannot be compared. */
function assertBothWork(results: readonly SectionResult[]): void {
  const refusedAll = results.some(({ ours, stock }) =>
    [ours, stock].some((rounds) =>
      rounds.every(({ samples }) => samples.every(({ failure }) => failure !== undefined)),
    ),
  )
  if (refusedAll)
    throw new Error(`a facilitator refused all requests:\n${failureLines(results).join('\n')}`)
}

async function report(): Promise<void> {
  print('## Environment', ...environment())
  const [one] = verified
  if (one) {
    print('## Verify', '', verifyTable(verified))
    print('## Own time of verify, 1 in flight', '', ownTimeTable(one))
  }
  if (settled.length > 0) print('## Settle', '', settleTable(settled))
  print('## Requests per answer', '', costTable([...verified.slice(0, 1), ...settled]))
  const failures = failureLines([...verified, ...settled])
  if (failures.length > 0) print('## Failures', '', ...failures.map((line) => `- ${line}`))
  if (settled.length > 0) print('## Capacity of a ledger', '', await capacityOf(world, settled))
}

function machine(): string[] {
  const load = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' ')
  return [
    `- ${availableParallelism()} processors, Node ${process.versions.node}; all processes on this machine`,
    `- load average before ${load(loadBefore)}, after ${load(loadavg())}; idle would be 0`,
  ]
}

function environment(): string[] {
  return [
    '',
    ...machine(),
    `- one embedded network with testnet's limits, a ledger every ${CLOSE_EVERY_MS / 1000} s; ` +
      `${channels} channels for each facilitator`,
    '- the stock facilitator and client request ledger times from the public Horizon; here these ' +
      'requests fail at once and cost no time',
  ]
}

async function capacityOf({ rpc }: World, results: readonly SectionResult[]): Promise<string> {
  const confirmed = results.flatMap(({ ours }) => ours.flatMap((round) => round.confirmed))
  const [settlement] = confirmed
  if (!settlement) return 'no settlement succeeded'
  const envelope = xdr.TransactionEnvelope.fromXdr(settlement.envelopeXdr, 'base64')
  return capacityTable(await ledgerCapacity(rpc, envelope))
}
