import { describe, expect, test } from 'vitest'
import {
  indicesToLookUp,
  mayHaveMoreChannels,
} from '../../../../../src/payments/channels/converge/facts.ts'
import { account, authorityOf, channel, onLedger } from './builders.ts'

describe('the accounts to look up', () => {
  test.each([
    { of: 'a new pool', desired: 2, channels: [], indices: [0, 1, 2] },
    {
      of: 'a pool with more channels than desired',
      desired: 1,
      channels: [channel(0), channel(7, { state: 'retired' })],
      indices: [0, 1, 7],
    },
    {
      of: 'a pool with channels to replace',
      desired: 1,
      channels: [
        channel(0, { state: 'quarantined', quarantinedBecause: 'it is stuck' }),
        channel(1, { heldBy: 7n }),
      ],
      indices: [0, 1, 2, 3],
    },
  ])('of $of', ({ desired, channels, indices }) => {
    expect(indicesToLookUp({ desired, channels })).toEqual(indices)
  })

  test('include all indices when the sponsor sponsors more than was found', () => {
    const mayHaveMore = (sponsoring: number, among = authorityOf(account())) =>
      mayHaveMoreChannels({
        sponsor: { sponsoring },
        accounts: onLedger(0, 1),
        authorities: among,
      })
    expect(mayHaveMore(6)).toBe(false)
    expect(mayHaveMore(8)).toBe(true)
    expect(mayHaveMore(4, authorityOf(undefined))).toBe(false)
    expect(mayHaveMore(6, authorityOf(undefined))).toBe(true)
  })
})
