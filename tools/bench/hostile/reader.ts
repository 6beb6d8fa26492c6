import { fileURLToPath } from 'node:url'
import { monotonicMs } from '../monotonic.ts'
import { startProgram } from '../program.ts'
import { median } from '../statistics.ts'
import { honestResult, openHonest } from './honest.ts'
import { measureCapacity, runSteadyLoad } from './load.ts'
import type { ReaderCounts } from './reader-program.ts'
import { readThreads, type ThreadTime, timeBetween, withChildren } from './threads.ts'
import type { HostileWorld } from './world.ts'

/** Shares of the time: how long threads ran, and how long they waited for a processor, as they do on a busy machine. */
interface ThreadShares {
  readonly run: number
  readonly wait: number
}

/** The facilitator; all but the last are medians of the rounds. */
interface LoopResult {
  /** 95th percentile of the delay of the event loop of its main thread, in milliseconds. */
  readonly delayMs: number
  /** By what runs in them. */
  readonly threads: ReadonlyMap<string, ThreadShares>
  /** 95th percentile of the honest payments, in milliseconds. */
  readonly paymentP95Ms: number
}

export interface ReaderResult {
  readonly honestPerSecond: number
  readonly without: LoopResult
  readonly under: LoopResult
  /** Requests of the reader by their status. */
  readonly downloads: ReadonlyMap<string, number>
  readonly streams: ReadonlyMap<string, number>
}

export interface ReaderPlan {
  readonly channels: number
  readonly seconds: number
  /** Honest payments, as a share of the capacity. */
  readonly share: number
}

/** With the reader and without in turn, so that a change of the machine affects both. */
const ROUNDS = 5

interface Measured {
  readonly samples: Awaited<ReturnType<typeof runSteadyLoad>>
  readonly delayMs: number
  readonly threads: ReadonlyMap<string, ThreadShares>
}

/** Honest payers beside one who reads the explorer of the same process as fast as it answers. */
export async function runReader(
  world: HostileWorld,
  { channels, seconds, share }: ReaderPlan,
): Promise<ReaderResult> {
  const { url } = world
  const honest = await openHonest(world)
  const inFlight = 2 * channels
  await measureCapacity(url, honest, { inFlight, seconds: Math.min(5, seconds) })
  const perSecond = share * (await measureCapacity(url, honest, { inFlight, seconds }))
  const load = { url, pay: honest, perSecond, seconds: seconds / ROUNDS }
  const measured = async (readerPids: readonly number[]): Promise<Measured> => {
    const timesSince = startTimes(world, readerPids)
    await world.readMeter()
    const startedAt = monotonicMs()
    const samples = await runSteadyLoad(load)
    const { loopDelayP95Ms: delayMs } = await world.readMeter()
    const ms = monotonicMs() - startedAt
    const threads = new Map(
      timesSince().map(([name, { runMs, waitMs }]) => [
        name,
        { run: runMs / ms, wait: waitMs / ms },
      ]),
    )
    return { samples, delayMs, threads }
  }
  const alone: Measured[] = []
  const beside: Measured[] = []
  const counts: ReaderCounts[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await measured([]))
    await using reader = await startReader(world)
    beside.push(await measured([reader.pid]))
    counts.push((await reader.ask('counts')) as ReaderCounts)
  }
  return {
    honestPerSecond: perSecond,
    without: loopOf(alone),
    under: loopOf(beside),
    downloads: total(counts.map(({ downloads }) => downloads)),
    streams: total(counts.map(({ streams }) => streams)),
  }
}

const startReader = ({ explorerUrl }: HostileWorld) =>
  startProgram({
    name: READER,
    args: [fileURLToPath(new URL('reader-program.ts', import.meta.url))],
    env: { EXPLORER_URL: explorerUrl },
    isReady: ({ ready }) => ready === true,
    isLowPriority: true,
  })

export const PAYMENTS = 'payments'
/** Threads of the facilitator by their names, which Linux cuts after 15 characters. */
const threadNames = {
  [PAYMENTS]: 'MainThread',
  explorer: 'explorer',
  'V8, for both: garbage collection, compilation': 'V8Worker',
  'libuv, for both: files, compression': 'libuv-worker',
} as const
const READER = 'reader'

/** @returns what each took since then */
function startTimes({ pids }: HostileWorld, readerPids: readonly number[]) {
  const programs = (): readonly (readonly [name: string, pids: readonly number[]])[] => [
    ['Postgres', withChildren(pids.postgres)],
    ['network', [pids.localnet]],
    ['honest payers', [process.pid]],
    [READER, readerPids],
  ]
  const own = readThreads([pids.facilitator])
  const others = readThreads(programs().flatMap(([, all]) => all))
  return (): readonly (readonly [name: string, time: ThreadTime])[] => {
    const ownNow = readThreads([pids.facilitator])
    return [
      ...Object.entries(threadNames).map(
        ([what, name]) => [what, timeBetween(own, ownNow, name)] as const,
      ),
      ...programs().map(([name, all]) => [name, timeBetween(others, readThreads(all))] as const),
    ]
  }
}

function loopOf(rounds: readonly Measured[]): LoopResult {
  const names = [...(rounds[0]?.threads.keys() ?? [])]
  const shares = (name: string, key: keyof ThreadShares) =>
    median(rounds.map(({ threads }) => threads.get(name)?.[key] ?? 0))
  return {
    delayMs: median(rounds.map(({ delayMs }) => delayMs)),
    threads: new Map(
      names.map((name) => [name, { run: shares(name, 'run'), wait: shares(name, 'wait') }]),
    ),
    paymentP95Ms: honestResult(rounds.flatMap(({ samples }) => samples)).p95,
  }
}

function total(counts: readonly Readonly<Record<string, number>>[]): Map<string, number> {
  const all = new Map<string, number>()
  for (const [status, count] of counts.flatMap(Object.entries<number>)) {
    all.set(status, (all.get(status) ?? 0) + count)
  }
  return all
}
