import { expect, test } from 'vitest'
import { heldOf, holdersSentence } from '../../../../src/payments/channels/held-channels.ts'
import type { PoolChannel } from '../../../../src/payments/store/pools/pool-channels.ts'
import { channel } from './converge/builders.ts'

const until = Date.parse('2026-01-01T00:02:00.000Z')
const ofSettlement = { isLeased: true }
const ofTransaction = { isLeased: true, transactionUntil: until }

test.each<{ channels: readonly Partial<PoolChannel>[]; says: string | undefined }>([
  { channels: [{}, {}], says: undefined },
  { channels: [ofSettlement, {}], says: 'settlements still use 1 channel' },
  { channels: [ofSettlement, { heldBy: 7n }], says: 'settlements still use 2 channels' },
  {
    channels: [ofTransaction, { ...ofTransaction, transactionUntil: until - 1_000 }],
    says: 'transactions of the sponsor lease 2 channels, until 2026-01-01T00:02:00.000Z if their process has stopped',
  },
  {
    channels: [ofSettlement, ofTransaction],
    says: 'settlements still use 1 channel; transactions of the sponsor lease 1 channel, until 2026-01-01T00:02:00.000Z if their process has stopped',
  },
])('what holds channels: $says', ({ channels, says }) => {
  expect(holdersSentence(heldOf(channels.map((each, index) => channel(index, each))))).toBe(says)
})
