/** The results as Markdown tables, ready for a page. */
import type { SectionResult } from './compare-facilitators.ts'
import { type LedgerCapacity, settlementsPerLedger } from './ledger-capacity.ts'
import { median, quantile } from './statistics.ts'
import { ownTime, type Summary, summaryOf } from './summary.ts'

interface Compared {
  readonly result: SectionResult
  readonly ours: Summary
  readonly stock: Summary
}

const compare = (result: SectionResult): Compared => ({
  result,
  ours: summaryOf(result.ours, result.section.endpoint),
  stock: summaryOf(result.stock, result.section.endpoint),
})

type Column = readonly [head: string, cell: (row: Compared) => string]

const columns: readonly Column[] = [
  ['in flight', ({ result }) => load(result)],
  ['requests', ({ ours }) => String(ours.requests)],
  ['p50 ours', ({ ours }) => ms(ours.p50)],
  ['p50 stock', ({ stock }) => ms(stock.p50)],
  ['**p50 ratio**', ({ ours, stock }) => `**${ratio(ours.p50 / stock.p50)}**`],
  ['range over rounds', ({ result }) => spreadOfRatios(result)],
  ['p95 ours', ({ ours }) => ms(ours.p95)],
  ['p95 stock', ({ stock }) => ms(stock.p95)],
  ['**p95 ratio**', ({ ours, stock }) => `**${ratio(ours.p95 / stock.p95)}**`],
  ['per second ours', ({ ours }) => ours.perSecond.toFixed(1)],
  ['stock', ({ stock }) => stock.perSecond.toFixed(1)],
  ['**ratio**', ({ ours, stock }) => `**${ratio(ours.perSecond / stock.perSecond)}**`],
  ['failed ours', ({ ours }) => String(ours.failed)],
  ['stock', ({ stock }) => String(stock.failed)],
]

const ledgerColumns: readonly Column[] = [
  ['per ledger ours', ({ ours }) => perLedger(ours)],
  ['stock', ({ stock }) => perLedger(stock)],
]

const costColumns: readonly Column[] = [
  ['load', ({ result }) => `${result.section.endpoint}, ${load(result)}`],
  ['RPC requests ours', ({ ours }) => ours.rpcPerRequest.toFixed(1)],
  ['stock', ({ stock }) => stock.rpcPerRequest.toFixed(1)],
  ['store statements ours', ({ ours }) => ours.statementsPerRequest.toFixed(1)],
]

export function verifyTable(results: readonly SectionResult[]): string {
  return table(columns, results.map(compare))
}

export function settleTable(results: readonly SectionResult[]): string {
  return table([...columns, ...ledgerColumns], results.map(compare))
}

export function costTable(results: readonly SectionResult[]): string {
  return table(costColumns, results.map(compare))
}

/** Table of our own time, for a section with one request in flight. */
export function ownTimeTable({ ours, stock }: SectionResult): string {
  const rows = [
    { name: 'ours', time: ownTime(ours) },
    { name: 'stock', time: ownTime(stock) },
  ]
  return markdown(
    ['', 'total p50', 'RPC p50', '**own p50**', 'own p95'],
    rows.map(({ name, time: { total, rpc, own } }) => [
      ...[name, ms(median(total)), ms(median(rpc))],
      ...[`**${ms(median(own))}**`, ms(quantile(own, 0.95))],
    ]),
  )
}

export function capacityTable(limits: readonly LedgerCapacity[]): string {
  return markdown(
    ['limit of a ledger', 'value', 'one settlement', 'settlements'],
    limits.map((limit) => [
      limit.resource,
      grouped(limit.perLedger),
      grouped(limit.perSettlement),
      grouped(settlementsPerLedger(limit)),
    ]),
  )
}

/** One line for each facilitator and load with failures. */
export function failureLines(results: readonly SectionResult[]): string[] {
  return results.map(compare).flatMap(({ result, ours, stock }) =>
    Object.entries({ ours, stock }).flatMap(([name, { failures, requests }]) => {
      if (failures.size === 0) return []
      const reasons = [...failures].map(([reason, count]) => `${count} ${reason}`).join(', ')
      return `${result.section.endpoint}, ${load(result)}, ${name}: of ${requests}: ${reasons}`
    }),
  )
}

const load = ({ section: { inFlight, spreadMs = 0 } }: SectionResult): string =>
  spreadMs > 0 ? `${inFlight}, spread` : String(inFlight)

const perLedger = ({ perLedger: { p50, max } }: Summary): string => `${p50}, max ${max}`

/** Lowest and highest ratio of the rounds' medians: shows the noise. */
function spreadOfRatios({ ours, stock }: SectionResult): string {
  const p50 = (rounds: SectionResult['ours']) =>
    rounds.map(({ samples }) =>
      median(samples.flatMap((it) => (it.failure === undefined ? it.ms : []))),
    )
  const stockMedians = p50(stock)
  const ratios = p50(ours).map((value, round) => value / (stockMedians[round] ?? Number.NaN))
  return `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`
}

const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`
const ratio = (value: number): string => value.toFixed(2)
const grouped = (value: number): string => value.toLocaleString('en-US')

const table = (shown: readonly Column[], rows: readonly Compared[]): string =>
  markdown(
    shown.map(([head]) => head),
    rows.map((row) => shown.map(([, cell]) => cell(row))),
  )

export const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
