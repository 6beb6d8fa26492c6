import type { Interval, MeterReading, RpcRequest } from '../meter.ts'
import { median, quantile, sum } from '../statistics.ts'
import type { BurstResult } from './burst.ts'

export interface BurstSummary {
  /** Milliseconds, of settlements that succeeded. */
  readonly p50: number
  readonly p95: number
  readonly failures: ReadonlyMap<string, number>
  /** Settlements of each ledger, from the first that could include one. */
  readonly perLedger: readonly number[]
  /** Payments with more than one transfer on the ledger. */
  readonly paidTwice: number
  /** Answered as successful, but not on the ledger. */
  readonly successUnpaid: number
  /** Answered as failed, but on the ledger. */
  readonly failurePaid: number
}

export function burstSummary({ samples, transfers, firstLedger }: BurstResult): BurstSummary {
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
    // All payments have different amounts.
    paidTwice: transfers.length - new Set(transfers.map(({ amount }) => amount)).size,
    successUnpaid: without(answered, paid),
    failurePaid: without(paid, answered),
  }
}

const without = (these: ReadonlySet<string>, those: ReadonlySet<string>): number =>
  [...these].filter((it) => !those.has(it)).length

/** Milliseconds from the close of the payment's ledger to the answer, for each payment. */
export function overhead(
  { samples, transfers }: BurstResult,
  closedAt: ReadonlyMap<number, number>,
): number[] {
  const ledgers = new Map(transfers.map(({ hash, ledger }) => [hash, ledger]))
  return samples.flatMap(({ transaction = '', startedAt, ms }) => {
    const closed = closedAt.get(ledgers.get(transaction) ?? 0)
    return closed === undefined ? [] : startedAt + ms - closed
  })
}

export interface Costs {
  /** HTTP requests to the RPC per settlement, without background requests. */
  readonly requests: number
  /** RPC calls per settlement, by method; under load one request carries several. */
  readonly calls: ReadonlyMap<string, number>
  /** Total, independent of the number of settlements: latest ledger, fees, the sponsor's balance. */
  readonly background: number
  readonly statements: number
  /** Statements per settlement that do not run in parallel with the simulation; for one in flight. */
  readonly blocking: number
}

const backgroundMethods = new Set(['getLatestLedger', 'getFeeStats', 'getLedgerEntries'])

export function costsOf({ samples, meters, inFlight }: BurstResult): Costs {
  const rpcRequests = meters.flatMap((meter) => meter.rpcRequests)
  const background = rpcRequests.filter(isBackground)
  const forSettlements = rpcRequests.filter((each) => !isBackground(each))
  const calls = countBy(forSettlements.flatMap(({ methods }) => methods))
  const each = (count: number) => count / samples.length
  return {
    requests: each(forSettlements.length),
    calls: new Map([...calls].map(([method, count]) => [method, each(count)])),
    background: background.length,
    statements: each(sum(meters.map(({ statements }) => statements.length))),
    blocking: inFlight === 1 ? median(blockingOf(samples, meters)) : Number.NaN,
  }
}

const isBackground = ({ methods }: RpcRequest): boolean =>
  methods.every((it) => backgroundMethods.has(it))

/** For each settlement. The median removes occasional background statements. */
function blockingOf(samples: BurstResult['samples'], meters: readonly MeterReading[]): number[] {
  const statements = meters.flatMap((meter) => meter.statements)
  const simulations = meters
    .flatMap((meter) => meter.rpcRequests)
    .filter(({ methods }) => methods.includes('simulateTransaction'))
    .map(({ time }) => time)
  // A statement that ends during a simulation delays no settlement.
  const blocking = statements.filter(
    ([, end]) => !simulations.some((other) => within([end, end], other)),
  )
  return samples.map(
    ({ startedAt, ms }) => blocking.filter((it) => within(it, [startedAt, startedAt + ms])).length,
  )
}

const within = ([start, end]: Interval, [from, to]: Interval): boolean => start >= from && end <= to

function countBy<T>(values: readonly T[]): Map<T, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([it, all]) => [it, all.length]))
}
