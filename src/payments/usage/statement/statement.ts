import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { asUsdUnits, type UsdUnits } from '../../../platform/core/amounts/usd.ts'
import type { Db } from '../../../platform/database/schema.ts'
import {
  type PendingPayment,
  readPending,
  readSettledPage,
  type SettledPayment,
  type StatementPlace,
} from '../../store/usage/statement.ts'
import type { Month } from './month.ts'

/** Rows of one query: about 300 KB, and a few milliseconds of a connection that payments need too. */
const PAGE_ROWS = 500

/** Clocks of replicas and database differ by seconds, and a transaction that ends a settlement may commit late. */
const FINAL_AFTER_MS = 3_600_000

/** The sums over the settled payments in one asset. */
export interface StatementTotal {
  readonly network: string
  readonly asset: string
  readonly settlements: number
  /** Base units of the asset. */
  readonly amount: bigint
  readonly feeCharged: Stroops
  readonly serviceFee: UsdUnits
}

/** The parts of a statement, in this order; `settled` comes once for each page. */
export type StatementPart =
  | { readonly part: 'head'; readonly subject: string; readonly month: Month; readonly until: Date }
  | { readonly part: 'settled'; readonly payments: readonly SettledPayment[] }
  | { readonly part: 'pending'; readonly payments: readonly PendingPayment[] }
  | {
      readonly part: 'totals'
      readonly totals: readonly StatementTotal[]
      /** Whether the month is over for an hour and none of its payments is pending: the statement stays as it is. */
      readonly isFinal: boolean
    }

/**
 * Reads the statement of a caller and a month, page by page, so that it takes little memory however long it is. The totals are
 * the sums of what was read, so they agree with the rows. Pending payments are read last: a payment that ends meanwhile is not in
 * both lists, and in a month that is not over it may be in neither.
 * @param now milliseconds since the Unix epoch: a statement of the current month ends there
 */
export async function* readStatement(
  db: Db,
  subject: string,
  { month, now }: { readonly month: Month; readonly now: number },
): AsyncGenerator<StatementPart> {
  const until = new Date(Math.min(month.until.getTime(), now))
  const period = { subject, from: month.from, until }
  const totals = new Map<string, StatementTotal>()
  let next: StatementPlace | undefined
  let isFirst = true
  do {
    const page = await readSettledPage(db, period, { after: next, limit: PAGE_ROWS })
    // After the first read: while the store is away a request is refused, and no answer has begun.
    if (isFirst) yield { part: 'head', subject, month, until }
    isFirst = false
    for (const payment of page.payments) addTo(totals, payment)
    yield { part: 'settled', payments: page.payments }
    next = page.next
  } while (next)
  const pending = await readPending(db, period)
  yield { part: 'pending', payments: pending }
  const isFinal = now >= month.until.getTime() + FINAL_AFTER_MS && pending.length === 0
  yield { part: 'totals', totals: sorted(totals), isFinal }
}

function addTo(totals: Map<string, StatementTotal>, payment: SettledPayment): void {
  const { network, asset, amount, feeCharged, serviceFee } = payment
  const key = `${network} ${asset}`
  const before = totals.get(key)
  totals.set(key, {
    network,
    asset,
    settlements: (before?.settlements ?? 0) + 1,
    amount: (before?.amount ?? 0n) + amount,
    feeCharged: asStroops((before?.feeCharged ?? 0n) + feeCharged),
    serviceFee: asUsdUnits((before?.serviceFee ?? 0n) + serviceFee),
  })
}

const sorted = (totals: ReadonlyMap<string, StatementTotal>): readonly StatementTotal[] =>
  [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total)
