import { expect, test } from 'vitest'
import {
  type LedgerFailureCode,
  payersFaults,
} from '../../../../src/payments/causes/ledger-failure.ts'
import { isServiceLedgerFault } from '../../../../src/payments/causes/service-faults.ts'

test.each<[LedgerFailureCode, string, boolean]>([
  ['insufficient_funds', 'GPAYER', true],
  ['insufficient_funds', 'CPAYER', true],
  ['resource_limit_exceeded', 'GPAYER', false],
  ['resource_limit_exceeded', 'CPAYER', true],
  ['refundable_fee_exceeded', 'GPAYER', false],
  ['refundable_fee_exceeded', 'CPAYER', true],
  ['trapped', 'CPAYER', false],
])('%s of %s is its own fault: %s', (code, payer, isPayers) => {
  expect(payersFaults(payer).includes(code)).toBe(isPayers)
  expect(isServiceLedgerFault(code, payer)).toBe(!isPayers)
})
