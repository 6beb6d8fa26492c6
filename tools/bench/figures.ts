import type { Round } from './contest.ts'
import type { Sample } from './load.ts'
import type { Interval } from './meter.ts'
import { median, quantile, sum } from './statistics.ts'

/** What a table says of one facilitator under one load. */
export interface Figures {
  /** Milliseconds, of requests with a good answer. */
  readonly p50: number
  readonly p95: number
  /** Good answers; of settlements only what the ledger confirms. */
  readonly perSecond: number
  readonly failed: number
  readonly requests: number
  /** How often each reason was given. */
  readonly failures: ReadonlyMap<string, number>
  readonly rpcPerRequest: number
  readonly statementsPerRequest: number
  /** Settlements in the ledgers that hold any: median and highest. */
  readonly perLedger: { readonly p50: number; readonly most: number }
}

export function figuresOf(rounds: readonly Round[], endpoint: string): Figures {
  const samples = rounds.flatMap((round) => round.samples)
  const good = samples.filter(({ failure }) => failure === undefined)
  const times = good.map(({ ms }) => ms)
  const landed = rounds.flatMap((round) => round.landed)
  const finished = endpoint === '/settle' ? landed.length : good.length
  const perLedger = [...countBy(landed.map(({ ledger }) => ledger)).values()]
  return {
    p50: median(times),
    p95: quantile(times, 0.95),
    perSecond: finished / sum(rounds.map(({ seconds }) => seconds)),
    failed: samples.length - finished,
    requests: samples.length,
    failures: countBy(samples.flatMap(({ failure }) => failure ?? [])),
    rpcPerRequest: sum(rounds.map(({ meter }) => meter.rpc.length)) / samples.length,
    statementsPerRequest: sum(rounds.map(({ meter }) => meter.statements.length)) / samples.length,
    perLedger: { p50: median(perLedger), most: Math.max(0, ...perLedger) },
  }
}

/** Of requests made one after the other: how long each took, and how long without the RPC. */
export interface OwnTime {
  readonly total: readonly number[]
  readonly rpc: readonly number[]
  readonly own: readonly number[]
}

/** The time of a request in which its facilitator waited for no RPC answer. */
export function ownTime(rounds: readonly Round[]): OwnTime {
  const parts = rounds.flatMap(({ samples, meter }) =>
    samples
      .filter(({ failure }) => failure === undefined)
      .map((sample) => ({ total: sample.ms, rpc: covered(within(meter.rpc, sample)) })),
  )
  return {
    total: parts.map(({ total }) => total),
    rpc: parts.map(({ rpc }) => rpc),
    own: parts.map(({ total, rpc }) => total - rpc),
  }
}

/** Those made during a sample. */
const within = (intervals: readonly Interval[], { startedAt, ms }: Sample): Interval[] =>
  intervals.filter(([start, end]) => start >= startedAt && end <= startedAt + ms)

/** Milliseconds in which at least one of the intervals was open. */
function covered(intervals: readonly Interval[]): number {
  let total = 0
  let upTo = 0
  for (const [start, end] of intervals.toSorted(([a], [b]) => a - b)) {
    if (end <= upTo) continue
    total += end - Math.max(start, upTo)
    upTo = end
  }
  return total
}

function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
