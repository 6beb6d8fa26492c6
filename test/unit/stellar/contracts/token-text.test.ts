import { expect, test } from 'vitest'
import { assetFactsOf } from '../../../../src/stellar/contracts/token-text.ts'

test('the facts of an asset are what it says', () => {
  expect(assetFactsOf({ symbol: 'USDC', name: 'USD Coin', decimals: 7n })).toEqual({
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 7,
  })
})

test.each([
  ['nothing', {}],
  ['empty texts', { symbol: '', name: ' ' }],
  ['texts that are too long', { symbol: 'x'.repeat(33), name: 'x'.repeat(101) }],
  ['control characters', { symbol: 'US\nDC', name: 'USD\u0000Coin' }],
  ['bidirectional overrides', { symbol: '\u202eCDSU', name: 'USD\u2066Coin' }],
  [
    'letters of another script that look alike',
    { symbol: 'US\u0414C', name: '\uff35\uff33\uff24' },
  ],
  ['spaces around', { symbol: ' USDC', name: 'USD Coin ' }],
  ['decimals that no amount has', { decimals: 39n }],
  ['decimals beyond a number', { decimals: 2n ** 32n }],
])('a token that says %s has no facts', (_, metadata) => {
  expect(assetFactsOf(metadata)).toEqual({ symbol: null, name: null, decimals: null })
})
