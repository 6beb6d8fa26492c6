import { describe, expect, test } from 'vitest'
import { exactAmount, readableAmount } from '../../../../src/explorer/web/format/amount.ts'
import { counted, readableShare } from '../../../../src/explorer/web/format/count.ts'
import { shortened } from '../../../../src/explorer/web/format/short.ts'
import { exactTime, relativeTime } from '../../../../src/explorer/web/format/time.ts'
import { visibleText } from '../../../../src/explorer/web/format/visible-text.ts'

describe('an amount', () => {
  test.each([
    ['0', '0', '0'],
    ['1.2300000', '1.23', '1.23'],
    ['1000', '1,000', '1,000'],
    ['1234567.8912345', '1,234,567.8912345', '1,234,567.89'],
    ['0.0000123', '0.0000123', '0.0000123'],
    ['0.1234567', '0.1234567', '0.1234'],
    ['0.9999999', '0.9999999', '0.9999'],
    ['100.0000000', '100', '100'],
    ['999999999999999.5', '999,999,999,999,999.5', '999,999,999,999,999.5'],
    [
      '17014118346046923173168730371588.4105727',
      '17,014,118,346,046,923,173,168,730,371,588.4105727',
      '1.70 × 10³¹',
    ],
  ])('%s reads as %s in full and as %s at a glance', (decimal, exact, readable) => {
    expect(exactAmount(decimal)).toBe(exact)
    expect(readableAmount(decimal)).toBe(readable)
  })
})

describe('a time', () => {
  const now = Date.parse('2026-09-17T12:00:00.000Z')
  test.each([
    ['2026-09-17T12:00:05.000Z', 'now'],
    ['2026-09-17T12:00:00.000Z', 'now'],
    ['2026-09-17T11:59:59.000Z', '1 s ago'],
    ['2026-09-17T11:59:00.000Z', '1 min ago'],
    ['2026-09-17T10:00:01.000Z', '1 h ago'],
    ['2026-09-10T12:00:00.000Z', '7 d ago'],
    ['2026-08-01T12:00:00.000Z', '2026-08-01'],
  ])('%s is %s', (iso, words) => {
    expect(relativeTime(iso, now)).toBe(words)
  })

  test('is exact to the second, in UTC', () => {
    expect(exactTime('2026-09-17T12:00:05.123Z')).toBe('2026-09-17 12:00:05 UTC')
  })
})

test.each([
  [0, '0 %'],
  [0.00004, '< 0.1 %'],
  [0.123, '12.3 %'],
  [0.5, '50 %'],
  [0.99996, '> 99.9 %'],
  [1, '100 %'],
])('a share of %d reads as %s', (share, words) => {
  expect(readableShare(share)).toBe(words)
})

test('counts are grouped and named', () => {
  expect(counted(1, 'payment')).toBe('1 payment')
  expect(counted(12_345, 'payment')).toBe('12,345 payments')
})

test('an address is cut in the middle, a short text is not', () => {
  expect(shortened('GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5')).toBe('GBBD…FLA5')
  expect(shortened('exact')).toBe('exact')
})

describe('text from outside', () => {
  test.each([
    ['two\nlines\u0000here', 'two lines here'],
    ['\u202egnp.exe', '�gnp.exe'],
    ['pay\u200bpal', 'pay�pal'],
    ['漢字 😀', '漢字 😀'],
    ['خدمة', 'خدمة'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  test('is cut to one line, and never within a character', () => {
    const shown = visibleText('😀'.repeat(500))
    expect([...shown]).toHaveLength(120)
    expect(shown.isWellFormed()).toBe(true)
  })
})
