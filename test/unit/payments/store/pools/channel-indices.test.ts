import { expect, test } from 'vitest'
import { requireValidIndices } from '../../../../../src/payments/store/pools/channel-indices.ts'

const pool = { network: 'stellar:testnet', sponsor: 'GSPONSOR' } as const

test('the indices of a pool ascend, with those that a retired channel left out', () => {
  const all = Array.from({ length: 2_000 }, (_, index) => index)
  for (const indices of [[], [0], [3, 7, 1_999], all]) requireValidIndices(pool, indices)
})

test.each([
  { what: 'one twice', indices: [0, 1, 1], says: '1' },
  { what: 'one that is too high', indices: [0, 2_000], says: '2000' },
  { what: 'a negative one', indices: [-1, 0], says: '-1' },
  { what: 'one that is no whole number', indices: [0.5], says: '0.5' },
  { what: 'one that is text', indices: ['7'], says: '7' },
  { what: 'long text', indices: ['9'.repeat(1_000_000)], says: '9'.repeat(20) },
  { what: 'none', indices: [null], says: 'null' },
])('indices with $what are refused', ({ indices, says }) => {
  expect(() => requireValidIndices(pool, indices)).toThrow(
    `The table channels has the index ${says} for sponsor GSPONSOR on stellar:testnet, but`,
  )
})
