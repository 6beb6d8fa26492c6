import { asUsdUnits, decimalUsd, type UsdUnits } from '../../core/usd.ts'
import type { UsageRow } from '../../store/usage/read.ts'
import type { UsageAnswer } from './schema.ts'

/** Days that are told of, today included. */
export const TOLD_DAYS = 31

/** What a caller is answered about its own requests; `rows` in the order they are told. */
export function usageAnswer(
  subject: string,
  rows: readonly UsageRow[],
  perSettlement: UsdUnits,
): UsageAnswer {
  const accrued = rows.reduce((sum, { feeAccrued }) => sum + feeAccrued, 0n)
  return {
    subject,
    days: TOLD_DAYS,
    serviceFee: {
      perSettlementUsd: decimalUsd(perSettlement),
      accruedUsd: decimalUsd(asUsdUnits(accrued)),
    },
    usage: rows.map(({ feeAccrued: _, settledAmount, ...row }) => ({
      ...row,
      settledAmount: settledAmount.toString(),
    })),
  }
}
