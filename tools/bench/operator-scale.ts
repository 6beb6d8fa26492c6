/**
 * `make bench-operator-scale`: what the operator costs with many Facilitators in many namespaces, while nothing
 * changes, and with a pool whose sponsor is always in use. Prints Markdown; docs/performance.md explains it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openTrial } from '../try-cluster/trial.ts'
import { scrapeOne } from './operator/scrape.ts'
import { BenchWorld } from './operator/world.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({
  options: {
    facilitators: { type: 'string', default: '10000' },
    namespaces: { type: 'string', default: '200' },
    /** Seconds for which the idle operator and the busy pool are watched. */
    seconds: { type: 'string', default: '120' },
  },
})
const LEDGER_EVERY_MS = 5_000
const WITHIN_MS = 3_600_000
const LUMEN = 10_000_000n
const MEGABYTE = 1024 * 1024
const REQUESTS = 'svc_controller_api_requests_total'
const FACILITATORS = Number(values.facilitators)
const SECONDS = Number(values.seconds)

const progress = (line: string) => process.stderr.write(`${line}\n`)

async function until(what: string, done: () => Promise<boolean>): Promise<number> {
  const from = performance.now()
  while (!(await done())) {
    if (performance.now() - from > WITHIN_MS) throw new Error(`${what}: timed out`)
    await pause(3_000)
  }
  return (performance.now() - from) / 1_000
}

await using trial = await openTrial('bench-0', LEDGER_EVERY_MS)
const names = Array.from({ length: Number(values.namespaces) }, (_, at) => `bench-${at}`)
for (const name of names.slice(1)) await trial.cluster.kubectl(['create', 'namespace', name])
await using operator = trial.operate({
  NODE_OPTIONS: '--max-semi-space-size=8',
  WATCH_NAMESPACES: '',
})
const adminUrl = await operator.adminUrl
const worlds = names.map((name) => new BenchWorld(trial, name))
const [first] = worlds
if (!first) throw new RangeError('at least one namespace')

progress('a pool whose sponsor is always in use')
await first.secrets(false)
await first.pool(4, { autoscale: { min: 4, max: 8 } })
await until('the pool', async () => (await first.readyOf('ChannelPool')) === 1)
const poolWrites = () => scrapeOne(adminUrl, REQUESTS, ['verb="apply"', 'resource="channelpools"'])
const facilitatorWrites = () =>
  scrapeOne(adminUrl, REQUESTS, ['verb="apply"', 'resource="facilitators"'])
await first.facilitators(1)
await until('its Facilitator', async () => (await first.readyOf('Facilitator')) === 1)
const before = [await poolWrites(), await facilitatorWrites()] as const
const busyUntil = performance.now() + SECONDS * 1_000
for (let payment = 1n; performance.now() < busyUntil; payment++) {
  // A status shows whole lumens: every look at the sponsor sees another balance.
  const amount = LUMEN + payment
  await trial.localnet.pay({ address: trial.sponsor.address, asset: 'XLM', amount })
  await pause(500)
}
const perMinute = (count: number): string => ((count * 60) / SECONDS).toFixed(1)
const busy = [(await poolWrites()) - before[0], (await facilitatorWrites()) - before[1]] as const

progress(`${FACILITATORS} Facilitators in ${names.length} namespaces, with Secrets without a label`)
const each = Math.ceil(FACILITATORS / names.length)
const from = performance.now()
for (const [at, world] of worlds.entries()) {
  if (at > 0) await world.secrets(false)
  // One pool has the sponsor; the others find it taken, which keeps their Facilitators from none of their objects.
  if (at > 0) await world.pool(0)
  const done = at > 0 ? 0 : 1
  await world.facilitators(each - done, { replicas: 0, from: done })
}
const observed = async () =>
  (await scrapeOne(adminUrl, 'svc_resource_observed_generation', ['kind="Facilitator"'])) >=
  FACILITATORS - 1
await until('the Facilitators', observed)
const queueIsEmpty = async () => {
  const earlier = await scrapeOne(adminUrl, REQUESTS)
  await pause(10_000)
  return (await scrapeOne(adminUrl, REQUESTS)) - earlier < 50
}
await until('the queue', queueIsEmpty)
const converged = (performance.now() - from) / 1_000

progress(`idle for ${SECONDS} s`)
const sent = await scrapeOne(adminUrl, REQUESTS)
await pause(SECONDS * 1_000)
const idle = (await scrapeOne(adminUrl, REQUESTS)) - sent
const memory = (await scrapeOne(adminUrl, 'svc_process_resident_memory_bytes')) / MEGABYTE
const cached = await scrapeOne(adminUrl, 'svc_controller_cached_objects')
const errors = await scrapeOne(adminUrl, 'svc_controller_reconcile_errors_total')

process.stdout.write(
  `${markdown(
    ['operator', 'figure'],
    [
      [
        'status writes a minute of a pool whose sponsor receives two payments a second',
        perMinute(busy[0]),
      ],
      ['status writes a minute of its Facilitator meanwhile', perMinute(busy[1])],
      [
        `${FACILITATORS} Facilitators in ${names.length} namespaces: until nothing is left to do`,
        `${converged.toFixed(0)} s`,
      ],
      ['failed reconciles', String(errors)],
      [`memory then, ${cached} objects cached`, `${memory.toFixed(0)} MB`],
      ['API requests a second while nothing changes', (idle / SECONDS).toFixed(2)],
    ],
  )}\n\n${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)} at the end.\n`,
)
