import { existsSync } from 'node:fs'
import { Budget } from '../../../buying/budget/budget.ts'
import type { RecordedPayment } from '../../../buying/budget/recorded-payment.ts'
import { USDC_DECIMALS } from '../../../buying/offer/usdc.ts'
import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import type { Variables } from '../../../settings/parser/environment.ts'
import {
  asksAtTerminal,
  EX_NOT_CONFIRMED,
  isConfirmed,
  showPlan,
} from '../../command-line/confirm.ts'
import type { FlagValues } from '../../command-line/flags.ts'
import { personTable, type Row } from '../../command-line/person-table.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { defaultBudgetFile } from '../default-budget-file.ts'
import type { PayFlags, resolveFlags } from './options.ts'
import { unexplained } from './status.ts'

type ResolveFlags = FlagValues<typeof resolveFlags> &
  Pick<PayFlags, 'network' | 'json' | 'budget-file'>

/** The budget file to list, or the open payment in it to end. */
export interface Resolving {
  readonly file: string
  /** Undefined to list what can be ended. */
  readonly end: { readonly id: bigint; readonly as: 'paid' | 'unpaid' } | undefined
}

/** Throws UsageError. */
export function resolvingOf(
  [id, ...rest]: readonly string[],
  { as, 'budget-file': file, network = 'stellar:testnet' }: ResolveFlags,
  variables: Variables,
): Resolving {
  const found = file ?? defaultBudgetFile(network, variables)
  if (id === undefined && as === undefined) return { file: found, end: undefined }
  if (rest.length > 0 || !/^\d{1,18}$/.test(id ?? '') || as === undefined) {
    throw new UsageError('resolve takes nothing, or the id of one payment and --as paid|unpaid')
  }
  return { file: found, end: { id: BigInt(id ?? ''), as } }
}

/** Lists the payments that only the owner can end, or ends one of them. @returns the exit code */
export async function payResolve(
  { file, end }: Resolving,
  { json, yes }: ResolveFlags,
  stop: AbortSignal,
): Promise<number> {
  if (!existsSync(file)) return fail(`there is no budget file ${file}`)
  using budget = opened(file)
  if (!budget) return fail(`${file} is no budget file`)
  const endable = budget.endable()
  if (!end) return print(endable, json)
  const payment = endable.find(({ id }) => id === end.id)
  if (!payment) return fail(`no payment ${end.id} waits for its owner: svc pay resolve lists those`)
  if (asksAtTerminal(yes)) {
    showPlan('svc pay resolve', [...rowsOf(payment), ['becomes', end.as]])
    if (!(await isConfirmed('pay', stop))) return EX_NOT_CONFIRMED
  }
  if (!budget.endByOwner(end.id, end.as)) return fail('another process has just ended it')
  const ended = { ...payment, state: end.as, units: end.as === 'paid' ? payment.units : 0n }
  return print([ended], json)
}

function opened(file: string): Budget | undefined {
  try {
    return new Budget({ file, limit: 0n, clock: systemClock })
  } catch (error) {
    process.stderr.write(`svc pay: ${messageOf(error)}.\n`)
    return undefined
  }
}

function fail(sentence: string): 1 {
  process.stderr.write(`svc pay: ${sentence}.\n`)
  return 1
}

function print(payments: readonly RecordedPayment[], json: boolean): 0 {
  const lines = json
    ? [`${JSON.stringify({ payments: payments.map(factsOf) })}\n`]
    : payments.map((each) => personTable(`payment ${each.id}`, rowsOf(each)))
  process.stdout.write(lines.join('') || 'No payment waits for its owner.\n')
  return 0
}

const factsOf = ({ id, at, state, because, units, url, payment }: RecordedPayment) => ({
  id: String(id),
  at: isoTime(at),
  state,
  because: because ?? null,
  counted: decimalAmount(units, USDC_DECIMALS),
  origin: url,
  payer: payment?.payer ?? null,
  payTo: payment?.payTo ?? null,
  afterLedger: payment?.afterLedger ?? null,
  lastLedger: payment?.lastLedger ?? null,
})

function rowsOf(payment: RecordedPayment): readonly Row[] {
  const { at, state, because, counted, origin, payer, payTo, afterLedger, lastLedger } =
    factsOf(payment)
  return [
    ['state', because === null ? state : `${state}: ${unexplained[because]}`],
    ['signed', at],
    ['counts', `${counted} USDC`],
    ['seller', origin],
    ['payer', payer ?? ''],
    ['pay to', payTo ?? ''],
    ['valid', `after ledger ${afterLedger}, through ledger ${lastLedger}`],
  ]
}
