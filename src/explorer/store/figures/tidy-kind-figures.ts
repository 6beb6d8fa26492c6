import { type RawBuilder, sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { recordset } from '../ingest/recordset.ts'
import type { CountedPayment } from './kind-figures.ts'

/**
 * After payments have left their kinds: deletes figures that count nothing any more, and finds the first and the last
 * payment again where that has left. Of payments that retention has dropped, the times stay as they are.
 */
export async function tidyKindFigures(
  transaction: DbTransaction,
  left: readonly CountedPayment[],
): Promise<void> {
  const rows = left.map(({ kind, seller, buyer, closedAt }) => ({
    kind,
    seller,
    buyer,
    at: closedAt,
  }))
  const given = recordset(rows, 'kind integer, seller integer, buyer integer, at bigint')
  const isOfKind = sql`known.kind = given.kind`
  const isOfSeller = sql`${isOfKind} and known.seller = given.seller`
  const emptied: readonly (readonly [string, RawBuilder<unknown>])[] = [
    ['explorer_seller_kinds', isOfSeller],
    ['explorer_buyer_kinds', sql`${isOfKind} and known.buyer = given.buyer`],
    ['explorer_kind_hours', sql`${isOfKind} and known.hour = given.at / 3600`],
    ['explorer_kind_days', sql`${isOfKind} and known.day = given.at / 86400`],
    ['explorer_seller_hours', sql`${isOfSeller} and known.hour = given.at / 3600`],
  ]
  for (const [table, isIt] of emptied) {
    await sql`delete from ${sql.table(table)} known using ${given} given
      where ${isIt} and known.payments = 0`.execute(transaction)
  }
  const gone = sql`min(at) as first_at, max(at) as last_at`
  await sql`update explorer_kinds known
    set ${firstAndLast(sql`payment.kind = known.id`)}
    from (select kind, ${gone} from ${given} given group by kind) gone
    where known.id = gone.kind`.execute(transaction)
  await sql`update explorer_seller_kinds known
    set ${firstAndLast(sql`payment.kind = known.kind and payment.seller = known.seller`)}
    from (select seller, kind, ${gone} from ${given} given group by seller, kind) gone
    where known.seller = gone.seller and known.kind = gone.kind`.execute(transaction)
}

/** SQL: a row's times, found again among the payments that are its own if one that has gone had such a time. */
function firstAndLast(isIts: RawBuilder<unknown>): RawBuilder<unknown> {
  const found = (order: 'asc' | 'desc') => sql`(select position >> 32 from explorer_payments payment
    where ${isIts} order by position ${sql.raw(order)} limit 1)`
  return sql`first_at = case when known.payments = 0 then null
      when known.first_at = gone.first_at then coalesce(${found('asc')}, known.first_at)
      else known.first_at end,
    last_at = case when known.payments = 0 then null
      when known.last_at = gone.last_at then coalesce(${found('desc')}, known.last_at)
      else known.last_at end`
}
