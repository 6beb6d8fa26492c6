import { describe, expect, it } from 'vitest'
import { decimalUsd, usdFromDecimal } from '../../../src/core/usd.ts'

describe('an amount of US dollars', () => {
  it.each([
    { text: '0', units: 0n, told: '0' },
    { text: '0.0000001', units: 1n, told: '0.0000001' },
    { text: '0.001', units: 10_000n, told: '0.001' },
    { text: '0.10', units: 1_000_000n, told: '0.1' },
    { text: '12', units: 120_000_000n, told: '12' },
    { text: '99999999999.9999999', units: 999_999_999_999_999_999n, told: '99999999999.9999999' },
  ])('reads $text exactly, and tells it as $told', ({ text, units, told }) => {
    expect(usdFromDecimal(text)).toBe(units)
    expect(decimalUsd(usdFromDecimal(text))).toBe(told)
  })

  it.each(['', '.1', '1.', '1.00000001', '-1', '1e3', '0x1', ' 1'])('is not %j', (text) => {
    expect(() => usdFromDecimal(text)).toThrow(RangeError)
  })
})
