import { expect, test } from 'vitest'
import { customFacts } from '../../../../src/explorer/registry/observed-assets.ts'

test('a custom token has its symbol for a code, and no issuer', () => {
  expect(customFacts({ symbol: 'USDC', name: 'USD', decimals: 6n })).toEqual({
    code: 'USDC',
    issuer: null,
    decimals: 6,
  })
})

test.each(['XLM', 'xlm', 'native', 'Native', 'USDC:G', 'US\u202eDC', 'x'.repeat(33), ''])(
  'the symbol %j is no code',
  (symbol) => {
    expect(customFacts({ symbol, decimals: 7n })).toEqual({ code: null, issuer: null, decimals: 7 })
  },
)
