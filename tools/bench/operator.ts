/**
 * `make bench-operator`: time for the operator to bring up many Facilitators and a large pool, on a
 * real API server with simulated nodes. Prints Markdown; docs/performance.md explains it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OperatorProcess } from '../../test/cluster/kubernetes/operator/operator-process.ts'
import { openTrial, type Trial } from '../try-cluster/trial.ts'
import { DeploymentClock } from './operator/deployment-clock.ts'
import { SameRequests } from './operator/same-requests.ts'
import { scrape } from './operator/scrape.ts'
import { BenchWorld } from './operator/world.ts'
import { median, quantile } from './statistics.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({
  options: {
    facilitators: { type: 'string', default: '1000' },
    channels: { type: 'string', default: '100' },
    edits: { type: 'string', default: '100' },
  },
})
/** The interval of the public networks: the result is a number of ledgers. */
const LEDGER_EVERY_MS = 5_000
const IMAGE_ENV = { NODE_OPTIONS: '--max-semi-space-size=8' }
const MEGABYTE = 1024 * 1024
const WITHIN_MS = 900_000
const ERRORS = 'svc_controller_reconcile_errors_total'
const CACHED = 'svc_controller_cached_objects'
const MEMORY = 'svc_process_resident_memory_bytes'

type Environment = Readonly<Record<string, string>>
type Row = readonly [what: string, figure: string, target: string]

const progress = (line: string) => process.stderr.write(`${line}\n`)
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function until(what: string, done: () => Promise<boolean>, everyMs = 100): Promise<number> {
  const from = performance.now()
  while (!(await done())) {
    if (performance.now() - from > WITHIN_MS) throw new Error(`${what}: timed out`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  return performance.now() - from
}

async function benchPool({ localnet }: Trial, world: BenchWorld): Promise<Row> {
  const count = Number(values.channels)
  progress(`a pool of ${count} channels`)
  const before = localnet.network.latest.sequence
  await world.pool(count)
  await until('the pool', async () => (await world.readyOf('ChannelPool')) === 1)
  const ledgers = localnet.network.latest.sequence - before
  return [`${count} channels provisioned`, `${ledgers} ledgers`, 'at most 8']
}

async function benchFacilitators(
  world: BenchWorld,
  operator: OperatorProcess,
): Promise<readonly Row[]> {
  const count = Number(values.facilitators)
  progress(`${count} Facilitators at once`)
  const adminUrl = await operator.adminUrl
  const from = performance.now()
  await world.facilitators(count)
  // Not more often: listing them all loads the API server.
  const all = async () => (await world.readyOf('Facilitator')) === count
  await until('the Facilitators', all, 3_000)
  const tookMs = performance.now() - from
  const metrics = await scrape(adminUrl)
  const memory = (metrics.get(MEMORY) ?? 0) / MEGABYTE
  return [
    [`${count} Facilitators converged, at 50 writes a second`, seconds(tookMs), 'under 300 s'],
    ['of them with errors', String(metrics.get(ERRORS) ?? 0), '0'],
    [
      `memory then, ${metrics.get(CACHED)} objects cached`,
      `${memory.toFixed(0)} MB`,
      'at most 280 MB',
    ],
  ]
}

/** By turns with the same requests without the operator, so that the pods of one edit are replaced during the next of either kind. */
async function benchEdits(
  { cluster, namespace }: Trial,
  world: BenchWorld,
): Promise<readonly Row[]> {
  const count = Number(values.edits)
  progress(`${count} edits, one after the other`)
  const last = `shop-${Number(values.facilitators) - 1}`
  await using deployments = new DeploymentClock(cluster.kubeconfigPath, namespace)
  await using same = new SameRequests(cluster.kubeconfigPath, namespace, last)
  await Promise.all([deployments.ready, same.ready()])
  await same.measure()
  const tookMs: number[] = []
  const sameMs: number[] = []
  for (let edit = 0; edit < count; edit++) {
    const name = `shop-${edit % Number(values.facilitators)}`
    tookMs.push(await world.editToPatched(name, 601 + edit, deployments))
    sameMs.push(await same.measure())
  }
  const ownMs = tookMs.map((ms, at) => ms - (sameMs[at] ?? 0))
  return [
    ['edit of a Facilitator until its Deployment is patched', figure(tookMs), ''],
    ['the same requests without the operator, by turns', figure(sameMs), ''],
    ["one less the other: the operator's own part", figure(ownMs), 'p99 under 150 ms'],
  ]
}

const figure = (ms: readonly number[]): string =>
  `p50 ${median(ms).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms`

/** A second operator: not the leader, but it fills its caches too. */
async function benchStart(trial: Trial, imageEnv: Environment): Promise<readonly Row[]> {
  progress('a second operator, from its start until its caches are filled')
  await using follower = trial.operate(imageEnv)
  const from = performance.now()
  const adminUrl = await follower.adminUrl
  const listening = performance.now() - from
  const synced = await until('the caches', async () => (await fetch(`${adminUrl}/readyz`)).ok)
  const count = async () => (await scrape(adminUrl)).get(CACHED) ?? 0
  await until('the figures', async () => (await count()) > 0)
  const metrics = await scrape(adminUrl)
  const memory = ((metrics.get(MEMORY) ?? 0) / MEGABYTE).toFixed(0)
  const objects = metrics.get(CACHED)
  return [
    ['process started until it listens', seconds(listening), ''],
    [`then until its ${objects} objects are cached`, seconds(synced), 'under 2 s'],
    ['memory of the follower', `${memory} MB`, ''],
  ]
}

/** The image has the compiled code of every module: a process that strips types takes 25 MB more. */
async function compileCache(trial: Trial) {
  const folder = await mkdtemp(join(tmpdir(), 'operator-compiled-'))
  await using operator = trial.operate({ ...IMAGE_ENV, NODE_COMPILE_CACHE: folder })
  await operator.adminUrl
  operator.kill('SIGTERM')
  await operator.exited
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

await using trial = await openTrial('bench', LEDGER_EVERY_MS)
await using cache = await compileCache(trial)
const imageEnv = { ...IMAGE_ENV, NODE_COMPILE_CACHE: cache.folder }
await using operator = trial.operate(imageEnv)
const world = new BenchWorld(trial)
await world.secrets()
const rows = [await benchPool(trial, world)]
rows.push(...(await benchFacilitators(world, operator)))
rows.push(...(await benchEdits(trial, world)))
rows.push(...(await benchStart(trial, imageEnv)))
process.stdout.write(
  `${markdown(['operator', 'figure', 'target'], rows)}\n\n` +
    `${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)} at the end.\n`,
)
