import { z } from 'zod'
import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import type { BudgetState } from '../../budget/budget.ts'
import { USDC_DECIMALS } from '../../offer/usdc.ts'

export const budgetSchema = z
  .object({
    limit: z.string(),
    spent: z.string().describe('Paid, or set aside for signed payments.'),
    unexplained: z
      .string()
      .optional()
      .describe('Of spent, what the ledger cannot explain: it counts until the user ends it.'),
    left: z.string(),
  })
  .describe('USDC, of any 24 hours.')

export const shownBudget = ({ limit, spent, unexplained, left }: BudgetState) => ({
  limit: decimalAmount(limit, USDC_DECIMALS),
  spent: decimalAmount(spent, USDC_DECIMALS),
  ...(unexplained > 0n && { unexplained: decimalAmount(unexplained, USDC_DECIMALS) }),
  left: decimalAmount(left, USDC_DECIMALS),
})
