import { describe, expect, test } from 'vitest'
import { decimalAmount, unitsOfDecimal } from '../../../../src/platform/core/amounts/decimal.ts'
import {
  decimalXlm,
  formatXlm,
  stroopsFromLumens,
} from '../../../../src/platform/core/amounts/stroops.ts'
import { decimalUsd, usdFromDecimal } from '../../../../src/platform/core/amounts/usd.ts'

describe('decimals', () => {
  test.each([
    { text: '0.01', decimals: 7, units: 100_000n },
    { text: '12', decimals: 0, units: 12n },
    { text: '123456789012345678901', decimals: 2, units: 12_345_678_901_234_567_890_100n },
  ])('$text is $units units of $decimals decimals, and back', ({ text, decimals, units }) => {
    expect(unitsOfDecimal(text, decimals)).toBe(units)
    expect(decimalAmount(units, decimals)).toBe(text)
  })

  test.each(['', '-1', '1.', '.1', '1.00000001', '1e3', '0x1', ' 1'])('%j is no amount', (text) => {
    expect(unitsOfDecimal(text, 7)).toBeUndefined()
    expect(() => usdFromDecimal(text)).toThrow(RangeError)
    expect(() => stroopsFromLumens(text)).toThrow(RangeError)
  })

  test('show a negative amount with its sign', () => {
    expect(decimalAmount(-100_000n, 7)).toBe('-0.01')
  })
})

test.each([
  { text: '0', units: 0n, shown: '0' },
  { text: '0.0000001', units: 1n, shown: '0.0000001' },
  { text: '0.10', units: 1_000_000n, shown: '0.1' },
  { text: '12.5', units: 125_000_000n, shown: '12.5' },
  { text: '99999999999.9999999', units: 999_999_999_999_999_999n, shown: '99999999999.9999999' },
])('US dollars and XLM have seven decimals: $text', ({ text, units, shown }) => {
  expect(usdFromDecimal(text)).toBe(units)
  expect(decimalUsd(usdFromDecimal(text))).toBe(shown)
  expect(decimalXlm(stroopsFromLumens(text))).toBe(shown)
  expect(formatXlm(units)).toBe(`${shown} XLM`)
})
