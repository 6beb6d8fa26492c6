import type { Asked, Interval, MeterReading } from '../meter.ts'
import { median, quantile, sum } from '../statistics.ts'
import type { CrowdResult } from './crowd.ts'

export interface CrowdFigures {
  /** Milliseconds, of settlements that succeeded. */
  readonly p50: number
  readonly p95: number
  readonly failures: ReadonlyMap<string, number>
  /** Settlements by ledger, in order; the first is the one that could hold any. */
  readonly perLedger: readonly number[]
  /** Payments that the ledger holds more than one transfer of. */
  readonly doubled: number
  /** Said to have succeeded, but not on the ledger. */
  readonly unpaid: number
  /** Paid, though the answer was a failure. */
  readonly paidAllTheSame: number
}

export function crowdFigures({ samples, transfers, firstLedger }: CrowdResult): CrowdFigures {
  const times = samples.filter(({ failure }) => failure === undefined).map(({ ms }) => ms)
  const answered = new Set(samples.flatMap(({ transaction }) => transaction ?? []))
  const paid = new Set(transfers.map(({ hash }) => hash))
  const last = Math.max(firstLedger - 1, ...transfers.map(({ ledger }) => ledger))
  const perLedger = Array.from(
    { length: last - firstLedger + 1 },
    (_, index) => transfers.filter(({ ledger }) => ledger === firstLedger + index).length,
  )
  return {
    p50: median(times),
    p95: quantile(times, 0.95),
    failures: countBy(samples.flatMap(({ failure }) => failure ?? [])),
    perLedger,
    // No two payments are of one amount.
    doubled: transfers.length - new Set(transfers.map(({ amount }) => amount)).size,
    unpaid: without(answered, paid),
    paidAllTheSame: without(paid, answered),
  }
}

const without = (these: ReadonlySet<string>, those: ReadonlySet<string>): number =>
  [...these].filter((it) => !those.has(it)).length

/** Milliseconds from the close of the ledger that holds a payment to its answer, of each payment. */
export function overhead(
  { samples, transfers }: CrowdResult,
  closedAt: ReadonlyMap<number, number>,
): number[] {
  const ledgers = new Map(transfers.map(({ hash, ledger }) => [hash, ledger]))
  return samples.flatMap(({ transaction = '', startedAt, ms }) => {
    const closed = closedAt.get(ledgers.get(transaction) ?? 0)
    return closed === undefined ? [] : startedAt + ms - closed
  })
}

export interface Costs {
  /** HTTP requests to the RPC for one settlement, without those aside. */
  readonly requests: number
  /** What they ask for one settlement, by method; several go in one request under load. */
  readonly questions: ReadonlyMap<string, number>
  /** In all: asked however many settle, of the newest ledger, of fees, and of the sponsor's balance. */
  readonly aside: number
  readonly statements: number
  /** Statements that no simulation runs beside; only of settlements one after the other. */
  readonly waiting: number
}

const asideMethods = new Set(['getLatestLedger', 'getFeeStats', 'getLedgerEntries'])

export function costsOf({ samples, meters, inFlight }: CrowdResult): Costs {
  const asked = meters.flatMap((meter) => meter.asked)
  const aside = asked.filter(isAside)
  const forSettlements = asked.filter((each) => !isAside(each))
  const questions = countBy(forSettlements.flatMap(({ methods }) => methods))
  const each = (count: number) => count / samples.length
  return {
    requests: each(forSettlements.length),
    questions: new Map([...questions].map(([method, count]) => [method, each(count)])),
    aside: aside.length,
    statements: each(sum(meters.map(({ statements }) => statements.length))),
    waiting: inFlight === 1 ? median(waitingOf(samples, meters)) : Number.NaN,
  }
}

const isAside = ({ methods }: Asked): boolean => methods.every((it) => asideMethods.has(it))

/** Of each settlement. The median leaves out what now and then is read in the background. */
function waitingOf(samples: CrowdResult['samples'], meters: readonly MeterReading[]): number[] {
  const statements = meters.flatMap((meter) => meter.statements)
  const simulations = meters
    .flatMap((meter) => meter.asked)
    .filter(({ methods }) => methods.includes('simulateTransaction'))
    .map(({ time }) => time)
  // What ends while a simulation is still out has kept nobody waiting.
  const waiting = statements.filter(
    ([, end]) => !simulations.some((other) => within([end, end], other)),
  )
  return samples.map(
    ({ startedAt, ms }) => waiting.filter((it) => within(it, [startedAt, startedAt + ms])).length,
  )
}

const within = ([start, end]: Interval, [from, to]: Interval): boolean => start >= from && end <= to

function countBy<T>(values: readonly T[]): Map<T, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([it, all]) => [it, all.length]))
}
