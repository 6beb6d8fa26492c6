import { expect, it } from 'vitest'
import type { UsageRow } from '../../../../src/payments/store/usage/read.ts'
import { usageAnswer } from '../../../../src/payments/usage/answer.ts'
import { usageAnswerSchema } from '../../../../src/payments/usage/schema.ts'
import { asUsdUnits, usdFromDecimal } from '../../../../src/platform/core/amounts/usd.ts'

const row: UsageRow = {
  day: '2026-11-21',
  network: 'stellar:testnet',
  operation: 'settle',
  outcome: 'success',
  asset: 'CASSET',
  requests: 3,
  settledAmount: 10n ** 38n + 1n,
  feeAccrued: asUsdUnits(3n),
}

it('has amounts as decimal strings without losing a digit', () => {
  const rows = [row, { ...row, day: '2026-11-20', feeAccrued: asUsdUnits(90_071_992_547_409_930n) }]
  const answer = usageAnswer('key:0123456789abcdef', rows, usdFromDecimal('0.0010'))
  const { feeAccrued: _, ...answered } = { ...row, settledAmount: `1${'0'.repeat(37)}1` }
  expect(answer).toEqual({
    subject: 'key:0123456789abcdef',
    days: 31,
    serviceFee: { perSettlementUsd: '0.001', accruedUsd: '9007199254.7409933' },
    usage: [answered, { ...answered, day: '2026-11-20' }],
  })
  expect(usageAnswerSchema.parse(answer)).toEqual(answer)
})

it('is empty without requests', () => {
  expect(usageAnswer('key:0123456789abcdef', [], asUsdUnits(0n))).toMatchObject({
    serviceFee: { perSettlementUsd: '0', accruedUsd: '0' },
    usage: [],
  })
})
