import { expect, test } from 'vitest'
import { stemOf, stemsOf } from '../../../../src/catalog/search/text/stems.ts'

test.each([
  ['getTokenPrice', ['get', 'token', 'price']],
  ['get_token-price', ['get', 'token', 'price']],
  ['HTTPServer', ['http', 'server']],
  ['The prices of the tokens', ['price', 'token']],
  ['Überweisung nach Zürich', ['uberweisung', 'nach', 'zurich']],
  ['東京の天気', ['東京', '京の', 'の天', '天気']],
  ['!?', []],
])('the stems of %s are %j', (text, stems) => {
  expect(stemsOf(text)).toEqual(stems)
})

test('a word of any length has a stem of at most 40 characters', () => {
  expect(stemOf('a'.repeat(10_000))).toHaveLength(40)
})
