import { type LedgerCapacity, settlementsPerLedger } from '../ledger-capacity.ts'
import { median, quantile, sum } from '../statistics.ts'
import { markdown } from '../tables.ts'
import type { BurstResult } from './burst.ts'
import { burstSummary, costsOf, overhead } from './summary.ts'

export interface NamedBurst {
  readonly name: string
  readonly result: BurstResult
}

/** Ledgers that a load took, and whether each payment was made exactly once. */
export function burstTable(rows: readonly NamedBurst[]): string {
  return markdown(
    [
      ...['', 'in flight', 'settlements', 'ledgers', 'settled in each', 'p50', 'p95'],
      ...['failed', 'paid twice', 'success but unpaid', 'failure but paid'],
    ],
    rows.map(({ name, result }) => {
      const it = burstSummary(result)
      return [
        ...[name, String(result.inFlight), String(result.settlements)],
        ...[`**${it.perLedger.length}**`, it.perLedger.join(', '), ms(it.p50), ms(it.p95)],
        ...[sum([...it.failures.values()]), it.paidTwice, it.successUnpaid, it.failurePaid].map(
          String,
        ),
      ]
    }),
  )
}

export const failureLines = (rows: readonly NamedBurst[]): string[] =>
  rows.flatMap(({ name, result }) =>
    [...burstSummary(result).failures].map(
      ([reason, count]) => `${name}: ${count} of ${result.settlements}: ${reason}`,
    ),
  )

/** Time from the close of a payment's ledger to its answer. */
export function overheadTable(
  rows: readonly NamedBurst[],
  closedAt: ReadonlyMap<number, number>,
): string {
  return markdown(
    ['', 'in flight', 'settlements', 'p50', '**p95**', 'max'],
    rows.map(({ name, result }) => {
      const after = overhead(result, closedAt)
      return [
        ...[name, String(result.inFlight), String(after.length), ms(median(after))],
        ...[`**${ms(quantile(after, 0.95))}**`, ms(Math.max(...after))],
      ]
    }),
  )
}

export function costTable(rows: readonly NamedBurst[]): string {
  return markdown(
    [
      ...['', 'in flight', '**RPC requests**', 'RPC calls'],
      ...['background requests, total', 'store statements', '**blocking**'],
    ],
    rows.map(({ name, result }) => {
      const { requests, calls, background, statements, blocking } = costsOf(result)
      const byMethod = [...calls].map(([method, count]) => `${count.toFixed(2)} ${method}`)
      return [
        ...[name, String(result.inFlight), `**${requests.toFixed(2)}**`, byMethod.join(', ')],
        ...[String(background), statements.toFixed(2)],
        Number.isNaN(blocking) ? '' : `**${blocking}**`,
      ]
    }),
  )
}

/** Use of each ledger, by its scarcest resource. */
export function fillTable(result: BurstResult, limits: readonly LedgerCapacity[]): string {
  const scarcest = limits.toSorted((a, b) => settlementsPerLedger(a) - settlementsPerLedger(b))[0]
  if (!scarcest) return ''
  const capacity = settlementsPerLedger(scarcest)
  return markdown(
    ['ledger', 'settled', `capacity, by ${scarcest.resource}`, 'used'],
    burstSummary(result).perLedger.map((count, index) => [
      `${index + 1}.`,
      String(count),
      String(capacity),
      `${((100 * count) / capacity).toFixed(0)}%`,
    ]),
  )
}

const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`
