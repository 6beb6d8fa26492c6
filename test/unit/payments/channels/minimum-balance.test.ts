import { expect, test } from 'vitest'
import { minimumBalance } from '../../../../src/payments/channels/minimum-balance.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'

const account = {
  address: 'G',
  balance: asStroops(0n),
  sequence: 1n,
  subentries: 0,
  sponsoring: 0,
  sponsored: 0,
  sellingLiabilities: asStroops(0n),
}

test.each([
  { when: 'an account of its own', changes: {}, locked: 10_000_000n },
  { when: 'a sponsor of eight channels', changes: { sponsoring: 16 }, locked: 90_000_000n },
  { when: 'a channel that is sponsored', changes: { sponsored: 2 }, locked: 0n },
  { when: 'one with a trustline', changes: { subentries: 1 }, locked: 15_000_000n },
  {
    when: 'one with an offer',
    changes: { subentries: 1, sellingLiabilities: asStroops(7n) },
    locked: 15_000_007n,
  },
])('$when has $locked stroops locked', ({ changes, locked }) => {
  expect(minimumBalance({ ...account, ...changes })).toBe(locked)
})
