import { describe, expect, test } from 'vitest'
import { inFairOrder } from '../../../../../src/payments/engine/leases/fair-order.ts'

const claim = (name: string) => {
  const [payer = '', payTo = '', nonce = ''] = name.split(' ')
  const key = { network: 'stellar:testnet', payer, nonce } as const
  return { name, claim: { key, owner: 'one', attempt: 1, payTo } }
}

describe('inFairOrder', () => {
  test.each([
    {
      when: 'serves first who came first, while payers and recipients differ',
      arrived: ['a x 1', 'b y 1', 'c z 1'],
      expected: ['a x 1', 'b y 1', 'c z 1'],
    },
    {
      when: 'takes payers in turn',
      arrived: ['a x 1', 'a x 2', 'a x 3', 'b y 1', 'c z 1', 'b y 2'],
      expected: ['a x 1', 'b y 1', 'c z 1', 'a x 2', 'b y 2', 'a x 3'],
    },
    {
      when: 'takes recipients in turn among payers alike',
      arrived: ['a x 1', 'b x 1', 'c x 1', 'd y 1'],
      expected: ['a x 1', 'd y 1', 'b x 1', 'c x 1'],
    },
    { when: 'orders nothing', arrived: [], expected: [] },
  ])('$when', ({ arrived, expected }) => {
    expect(inFairOrder(arrived.map(claim)).map(({ name }) => name)).toEqual(expected)
  })
})
