import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '../monotonic.ts'
import { median } from '../statistics.ts'
import { honestResult, openHonest } from './honest.ts'
import { measureCapacity, runSteadyLoad } from './load.ts'
import type { HostileWorld } from './world.ts'

/** The main thread of a facilitator; all but the last are medians of the rounds. */
interface LoopResult {
  /** 95th percentile of the delay of its event loop, in milliseconds. */
  readonly delayMs: number
  /** Of the time: how long it ran, and how long it waited for a processor, as it does on a busy machine. */
  readonly runShare: number
  readonly waitShare: number
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

/** Each with connections and limits of its own. */
const ADDRESSES = 20
/** Of each address: all that it may have. */
const STREAMS_OF_ADDRESS = 10
/** As often as the rate limit by address lets it. */
const AGAIN_MS = 100

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
  const load = { url, pay: honest, perSecond }
  const measured = async (length: number) => {
    const { mainThread: start } = await world.readMeter()
    const startedAt = monotonicMs()
    const samples = await runSteadyLoad({ ...load, seconds: length })
    const { loopDelayP95Ms: delayMs, mainThread: end } = await world.readMeter()
    const ms = monotonicMs() - startedAt
    const runShare = (end.runMs - start.runMs) / ms
    const waitShare = (end.waitMs - start.waitMs) / ms
    return { samples, delayMs, runShare, waitShare }
  }
  type Measured = Awaited<ReturnType<typeof measured>>
  const alone: Measured[] = []
  const beside: Measured[] = []
  const counts = { downloads: new Map<string, number>(), streams: new Map<string, number>() }
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await measured(seconds / ROUNDS))
    const over = new AbortController()
    const reading = read(world, counts, over.signal)
    beside.push(await measured(seconds / ROUNDS))
    over.abort()
    await reading
  }
  const loopOf = (rounds: readonly Measured[]): LoopResult => ({
    delayMs: median(rounds.map(({ delayMs }) => delayMs)),
    runShare: median(rounds.map(({ runShare }) => runShare)),
    waitShare: median(rounds.map(({ waitShare }) => waitShare)),
    paymentP95Ms: honestResult(rounds.flatMap(({ samples }) => samples)).p95,
  })
  return {
    honestPerSecond: perSecond,
    without: loopOf(alone),
    under: loopOf(beside),
    ...counts,
  }
}

async function read(
  { explorerUrl }: HostileWorld,
  { downloads, streams }: { downloads: Map<string, number>; streams: Map<string, number> },
  signal: AbortSignal,
): Promise<void> {
  const end = Math.floor(Date.now() / 1_000)
  const again = async (path: (turn: number) => string, address: number, counts: typeof streams) => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${address}` }
      const status = await readWhole(`${explorerUrl}${path(turn)}`, { headers, signal })
      counts.set(status, (counts.get(status) ?? 0) + 1)
      await pause(AGAIN_MS)
    }
  }
  const readers = Array.from({ length: ADDRESSES }, (_, address) => [
    again(() => '/ui/payments.csv', address, downloads),
    ...Array.from({ length: STREAMS_OF_ADDRESS }, (_, stream) => {
      const behind = address * STREAMS_OF_ADDRESS + stream
      const path = (turn: number) => `/ui/live?after=stellar:testnet.${end - behind - turn}`
      return again(path, address, streams)
    }),
  ])
  await Promise.all(readers.flat())
}

async function readWhole(url: string, options: RequestInit): Promise<string> {
  try {
    const answer = await fetch(url, options)
    for await (const _part of answer.body ?? []);
    return String(answer.status)
  } catch {
    return 'cut off'
  }
}
