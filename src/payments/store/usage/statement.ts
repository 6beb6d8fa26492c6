import { type SqlBool, sql } from 'kysely'
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { asUsdUnits, type UsdUnits } from '../../../platform/core/amounts/usd.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** Members of a settlement that a statement shows, whether it has succeeded or not. */
interface Stated {
  readonly network: NetworkId
  readonly scheme: string
  readonly asset: string
  /** Base units of the asset. */
  readonly amount: bigint
  readonly payer: string
  readonly payTo: string
  /** The hash, in hex: of a success the one on the ledger, otherwise that of the recorded envelope. */
  readonly transaction: string
  readonly serviceFee: UsdUnits
}

/** A settlement that succeeded. */
export interface SettledPayment extends Stated {
  /** When the service found it on the ledger. */
  readonly settledAt: Date
  readonly ledger: number
  /** Charged to the sponsor by the ledger. */
  readonly feeCharged: Stroops
}

/** A settlement that is sent, and whose outcome is not known yet. */
export interface PendingPayment extends Stated {
  readonly sentAt: Date
}

interface StatementPeriod {
  readonly subject: string
  readonly from: Date
  /** Exclusive. */
  readonly until: Date
}

/** The last settlement of a page; the next page begins after it. */
export interface StatementPlace {
  /** With the microseconds, which `Date` does not have. */
  readonly finishedAt: string
  readonly id: bigint
}

interface StatementPage {
  readonly payments: readonly SettledPayment[]
  /** Undefined after the last page. */
  readonly next: StatementPlace | undefined
}

interface Row {
  readonly id: bigint
  readonly network: NetworkId
  readonly scheme: string
  readonly asset: string
  readonly amount: string
  readonly payer: string
  readonly pay_to: string
  readonly transaction: string
  readonly service_fee: bigint
}
type SettledRow = Row & {
  readonly finished_at: Date
  readonly place: string
  readonly ledger: bigint
  readonly fee_charged: bigint | null
}

/** The settlements of a caller that succeeded in a period, in the order in which the service found them on the ledger. */
export async function readSettledPage(
  db: Db,
  { subject, from, until }: StatementPeriod,
  { after, limit }: { readonly after: StatementPlace | undefined; readonly limit: number },
): Promise<StatementPage> {
  const isAfter = after
    ? sql<SqlBool>`(finished_at, id) > (${after.finishedAt}::timestamptz, ${after.id}::bigint)`
    : sql<SqlBool>`finished_at >= ${from}`
  const { rows } = await sql<SettledRow>`
    select id, network, scheme, asset, amount, payer, pay_to,
      coalesce(response ->> 'transaction', tx_hash) as transaction, service_fee,
      finished_at, finished_at::text as place, ledger, fee_charged
    from settlements
    where state = 'succeeded' and caller = ${subject} and caller <> 'public'
      and ${isAfter} and finished_at < ${until}
    order by finished_at, id limit ${limit}::integer`.execute(db)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return {
    payments: rows.map((row) => ({
      ...statedOf(row),
      settledAt: row.finished_at,
      ledger: Number(row.ledger),
      feeCharged: asStroops(row.fee_charged ?? 0n),
    })),
    next: last && { finishedAt: last.place, id: last.id },
  }
}

/** The settlements of a caller that were claimed before the end of a period and are still under way, oldest first. */
export async function readPending(
  db: Db,
  { subject, until }: Pick<StatementPeriod, 'subject' | 'until'>,
): Promise<readonly PendingPayment[]> {
  const { rows } = await sql<Row & { readonly recorded_at: Date }>`
    select id, network, scheme, asset, amount, payer, pay_to, tx_hash as transaction, service_fee, recorded_at
    from settlements
    where state = 'submitted' and caller = ${subject} and claimed_at < ${until}
    order by claimed_at, id`.execute(db)
  return rows.map((row) => ({ ...statedOf(row), sentAt: row.recorded_at }))
}

const statedOf = (row: Row): Stated => ({
  network: row.network,
  scheme: row.scheme,
  asset: row.asset,
  amount: BigInt(row.amount),
  payer: row.payer,
  payTo: row.pay_to,
  transaction: row.transaction,
  serviceFee: asUsdUnits(row.service_fee),
})
