import { asUsdUnits, decimalUsd, type UsdUnits } from '../../platform/core/amounts/usd.ts'
import type { UsageRow } from '../store/usage/read.ts'
import type { UsageAnswer } from './schema.ts'

/** Number of days in the answer, today included. */
export const REPORTED_DAYS = 31

/** The answer to `GET /usage`; keeps the order of `rows`. */
export function usageAnswer(
  subject: string,
  rows: readonly UsageRow[],
  perSettlement: UsdUnits,
): UsageAnswer {
  const accrued = rows.reduce((sum, { feeAccrued }) => sum + feeAccrued, 0n)
  return {
    subject,
    days: REPORTED_DAYS,
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
