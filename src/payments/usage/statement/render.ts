import { decimalUsd } from '../../../platform/core/amounts/usd.ts'
import { assertNever } from '../../../platform/core/language/assert-never.ts'
import { csvLine } from '../../../platform/core/text/csv.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { PendingPayment, SettledPayment } from '../../store/usage/statement.ts'
import type { StatementAnswer } from './schema.ts'
import type { StatementPart, StatementTotal } from './statement.ts'

export const statementFormats = ['json', 'csv'] as const
type StatementFormat = (typeof statementFormats)[number]

/** The text of a statement, in parts as they are read. */
export async function* renderStatement(
  parts: AsyncIterable<StatementPart>,
  format: StatementFormat,
): AsyncGenerator<string> {
  const render = format === 'csv' ? csvOf : jsonRenderer()
  for await (const part of parts) yield render(part)
}

/** The members are written as they come; together they are a `StatementAnswer`. */
function jsonRenderer(): (part: StatementPart) => string {
  let hasRows = false
  return (part) => {
    switch (part.part) {
      case 'head': {
        const { subject, month, until } = part
        const from = isoTime(month.from.getTime())
        const head = { subject, month: month.name, from, until: isoTime(until.getTime()) }
        return `${JSON.stringify(head).slice(0, -1)},"settlements":[`
      }
      case 'settled': {
        const rows = part.payments.map((payment) => JSON.stringify(settledRow(payment))).join(',')
        const text = rows && hasRows ? `,${rows}` : rows
        hasRows ||= rows !== ''
        return text
      }
      case 'pending':
        return `],"pending":${JSON.stringify(part.payments.map(pendingRow))}`
      case 'totals':
        return `,"totals":${JSON.stringify(part.totals.map(totalRow))},"isFinal":${part.isFinal}}`
      default:
        return assertNever(part)
    }
  }
}

const columns = [
  'record',
  'time',
  'network',
  'scheme',
  'asset',
  'amount',
  'payer',
  'payTo',
  'transaction',
  'ledger',
  'feeChargedStroops',
  'serviceFeeUsd',
  'settlements',
] as const

type CsvRow = { readonly [Name in (typeof columns)[number]]?: string | number }

/** A row may lack columns. `record` tells settled, pending and total rows apart, so that no sum has both rows and totals. */
function csvOf(part: StatementPart): string {
  const lines = (record: string, rows: readonly CsvRow[]): string =>
    rows
      .map((row): CsvRow => ({ record, ...row }))
      .map((row) => csvLine(columns.map((name) => String(row[name] ?? ''))))
      .join('')
  switch (part.part) {
    case 'head':
      return csvLine(columns)
    case 'settled':
      return lines('settled', part.payments.map(settledRow))
    case 'pending':
      return lines('pending', part.payments.map(pendingRow))
    case 'totals':
      return lines('total', part.totals.map(totalRow))
    default:
      return assertNever(part)
  }
}

const settledRow = (payment: SettledPayment): StatementAnswer['settlements'][number] => ({
  time: isoTime(payment.settledAt.getTime()),
  ...common(payment),
  ledger: payment.ledger,
  feeChargedStroops: payment.feeCharged.toString(),
  serviceFeeUsd: decimalUsd(payment.serviceFee),
})

const pendingRow = (payment: PendingPayment): StatementAnswer['pending'][number] => ({
  time: isoTime(payment.sentAt.getTime()),
  ...common(payment),
})

const common = ({
  network,
  scheme,
  asset,
  amount,
  payer,
  payTo,
  transaction,
}: PendingOrSettled) => ({
  network,
  scheme,
  asset,
  amount: amount.toString(),
  payer,
  payTo,
  transaction,
})

type PendingOrSettled = Omit<SettledPayment, 'settledAt' | 'ledger' | 'feeCharged' | 'serviceFee'>

const totalRow = (total: StatementTotal): StatementAnswer['totals'][number] => ({
  network: total.network,
  asset: total.asset,
  settlements: total.settlements,
  amount: total.amount.toString(),
  feeChargedStroops: total.feeCharged.toString(),
  serviceFeeUsd: decimalUsd(total.serviceFee),
})
