import type { Round } from './compare-facilitators.ts'
import type { Sample } from './load.ts'
import type { Interval } from './meter.ts'
import { median, quantile, sum } from './statistics.ts'

/** Results of one facilitator under one load. */
export interface Summary {
  /** Milliseconds, of requests with a good answer. */
  readonly p50: number
  readonly p95: number
  /** Good answers; for settlements only those confirmed on the ledger. */
  readonly perSecond: number
  readonly failed: number
  readonly requests: number
  /** Count of each failure reason. */
  readonly failures: ReadonlyMap<string, number>
  readonly rpcPerRequest: number
  readonly statementsPerRequest: number
  /** Settlements per ledger, over ledgers with any: median and maximum. */
  readonly perLedger: { readonly p50: number; readonly max: number }
}

export function summaryOf(rounds: readonly Round[], endpoint: string): Summary {
  const samples = rounds.flatMap((round) => round.samples)
  const good = samples.filter(({ failure }) => failure === undefined)
  const times = good.map(({ ms }) => ms)
  const confirmed = rounds.flatMap((round) => round.confirmed)
  const finished = endpoint === '/settle' ? confirmed.length : good.length
  const perLedger = [...countBy(confirmed.map(({ ledger }) => ledger)).values()]
  return {
    p50: median(times),
    p95: quantile(times, 0.95),
    perSecond: finished / sum(rounds.map(({ seconds }) => seconds)),
    failed: samples.length - finished,
    requests: samples.length,
    failures: countBy(samples.flatMap(({ failure }) => failure ?? [])),
    rpcPerRequest: sum(rounds.map(({ meter }) => meter.rpc.length)) / samples.length,
    statementsPerRequest: sum(rounds.map(({ meter }) => meter.statements.length)) / samples.length,
    perLedger: { p50: median(perLedger), max: Math.max(0, ...perLedger) },
  }
}

/** For sequential requests, in milliseconds; `own` is `total` without `rpc`. */
export interface OwnTime {
  readonly total: readonly number[]
  readonly rpc: readonly number[]
  readonly own: readonly number[]
}

/** Splits the time of each request into waiting for the RPC and the rest. */
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

/** The intervals during a sample. */
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
