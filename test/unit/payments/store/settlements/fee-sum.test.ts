import { expect, test } from 'vitest'
import { stroopsOfSum } from '../../../../../src/payments/store/settlements/fee-sum.ts'

test('a sum of fees is read to the stroop', () => {
  expect(stroopsOfSum('1054439020873472865')).toBe(1054439020873472865n)
  expect(stroopsOfSum(0n)).toBe(0n)
})

test.each(['9'.repeat(31), '9'.repeat(1_000_000), '', '-1', '1.5', '0x10', 'NaN'])(
  'no sum of fees is %.10s',
  (sum) => {
    expect(() => stroopsOfSum(sum)).toThrow(`no sum of fees, but ${sum.slice(0, 30)}`)
  },
)
