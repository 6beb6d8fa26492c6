import { sql } from 'kysely'
import { asUsdUnits, type UsdUnits } from '../../../platform/core/amounts/usd.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { UsageLabels } from './labels.ts'

export interface UsageRow extends Omit<UsageLabels, 'subject'> {
  readonly requests: number
  /** Base units of the asset. */
  readonly settledAmount: bigint
  readonly feeAccrued: UsdUnits
}

type Row = Omit<UsageRow, 'settledAmount' | 'feeAccrued'> &
  Record<'settled_amount' | 'fee_accrued', string>

/**
 * A caller's counts of the last `days` days, today included, newest day first; within a day sorted by the
 * other labels, by code unit.
 */
export async function readUsage(
  db: Db,
  subject: string,
  days: number,
): Promise<readonly UsageRow[]> {
  const { rows } = await sql<Row>`
    select day::text, network, operation, outcome, asset, sum(requests)::double precision as requests,
      sum(settled_amount)::text as settled_amount, sum(fee_accrued)::text as fee_accrued
    from usage_counts
    where subject = ${subject}
      and day > (clock_timestamp() at time zone 'UTC')::date - ${days}::integer
    group by usage_counts.day, network, operation, outcome, asset
    having sum(requests) > 0
    order by usage_counts.day desc, network collate "C", operation collate "C",
      outcome collate "C", asset collate "C"`.execute(db)
  return rows.map(({ settled_amount, fee_accrued, ...row }) => ({
    ...row,
    settledAmount: BigInt(settled_amount),
    feeAccrued: asUsdUnits(BigInt(fee_accrued)),
  }))
}
