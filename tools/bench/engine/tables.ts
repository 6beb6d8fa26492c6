import { type Room, settlementsPerLedger } from '../ledger-room.ts'
import { median, quantile, sum } from '../statistics.ts'
import { markdown } from '../tables.ts'
import type { CrowdResult } from './crowd.ts'
import { costsOf, crowdFigures, overhead } from './figures.ts'

export interface NamedCrowd {
  readonly name: string
  readonly result: CrowdResult
}

/** How a load came onto the ledger, and whether each payment was made once. */
export function crowdTable(rows: readonly NamedCrowd[]): string {
  return markdown(
    [
      ...['', 'in flight', 'settlements', 'ledgers', 'settled in each', 'p50', 'p95'],
      ...['failed', 'doubled', 'said but not paid', 'paid but not said'],
    ],
    rows.map(({ name, result }) => {
      const it = crowdFigures(result)
      return [
        ...[name, String(result.inFlight), String(result.settlements)],
        ...[`**${it.perLedger.length}**`, it.perLedger.join(', '), ms(it.p50), ms(it.p95)],
        ...[sum([...it.failures.values()]), it.doubled, it.unpaid, it.paidAllTheSame].map(String),
      ]
    }),
  )
}

export const failureLines = (rows: readonly NamedCrowd[]): string[] =>
  rows.flatMap(({ name, result }) =>
    [...crowdFigures(result).failures].map(
      ([reason, count]) => `${name}: ${count} of ${result.settlements}: ${reason}`,
    ),
  )

/** From the close of the ledger that holds a payment to its answer. */
export function overheadTable(
  rows: readonly NamedCrowd[],
  closedAt: ReadonlyMap<number, number>,
): string {
  return markdown(
    ['', 'in flight', 'settlements', 'p50', '**p95**', 'longest'],
    rows.map(({ name, result }) => {
      const after = overhead(result, closedAt)
      return [
        ...[name, String(result.inFlight), String(after.length), ms(median(after))],
        ...[`**${ms(quantile(after, 0.95))}**`, ms(Math.max(...after))],
      ]
    }),
  )
}

export function costTable(rows: readonly NamedCrowd[]): string {
  return markdown(
    [
      ...['', 'in flight', '**RPC requests**', 'what they ask'],
      ...['aside, in all', 'store statements', '**waited for**'],
    ],
    rows.map(({ name, result }) => {
      const { requests, questions, aside, statements, waiting } = costsOf(result)
      const asks = [...questions].map(([method, count]) => `${count.toFixed(2)} ${method}`)
      return [
        ...[name, String(result.inFlight), `**${requests.toFixed(2)}**`, asks.join(', ')],
        ...[String(aside), statements.toFixed(2)],
        Number.isNaN(waiting) ? '' : `**${waiting}**`,
      ]
    }),
  )
}

/** How full the ledgers got: of what there is least of, the share that settlements took. */
export function fillTable(result: CrowdResult, rooms: readonly Room[]): string {
  const scarcest = rooms.toSorted((a, b) => settlementsPerLedger(a) - settlementsPerLedger(b))[0]
  if (!scarcest) return ''
  const room = settlementsPerLedger(scarcest)
  return markdown(
    ['ledger', 'settled', `room, by ${scarcest.what}`, 'full'],
    crowdFigures(result).perLedger.map((count, index) => [
      `${index + 1}.`,
      String(count),
      String(room),
      `${((100 * count) / room).toFixed(0)}%`,
    ]),
  )
}

const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`
