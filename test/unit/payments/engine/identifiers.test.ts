import { describe, expect, it } from 'vitest'
import { conflictWith } from '../../../../src/payments/engine/identifiers.ts'
import type { NetworkTime } from '../../../../src/payments/engine/network/network-time.ts'
import type { FirstPayment } from '../../../../src/payments/store/settlements/claim/identifiers.ts'

const TX = 'ab'.repeat(32)
const time = {
  latestLedger: 1_000,
  now: Date.parse('2026-01-01T00:00:00Z') / 1_000,
  secondsPerLedger: 6,
} as NetworkTime

const pending: FirstPayment = {
  state: 'submitted',
  transaction: TX,
  expirationLedger: 1_010,
  isResolvable: true,
  mayBeSent: true,
}

/** What the message says of the first payment. */
const fateOf = (first: Partial<FirstPayment>, network: { readonly time?: NetworkTime } = {}) =>
  conflictWith({ ...pending, ...first }, { time, ...network }).message.replace(
    'another payment has this payment identifier: it ',
    '',
  )

const untilLedger =
  'is pending until ledger 1010 has closed, about 2026-01-01T00:01:00.000Z, send that one again to learn how it ends'
const isPending = 'is pending, send that one again to learn how it ends'
const hasEnded = 'expired before anything was sent, use a new identifier'

describe('the conflict of an id says that the first payment', () => {
  it.each<{ what: string; first: Partial<FirstPayment>; says: string }>([
    { what: 'was sent', first: {}, says: untilLedger },
    { what: 'is claimed', first: { state: 'claimed' }, says: untilLedger },
    { what: 'can be claimed again', first: { state: 'released' }, says: untilLedger },
    { what: 'was refused by the network', first: { state: 'refused' }, says: untilLedger },
    {
      what: 'is valid in the latest ledger',
      first: { expirationLedger: 1_000 },
      says: 'is pending until ledger 1000 has closed, about 2026-01-01T00:00:00.000Z, send that one again to learn how it ends',
    },
    {
      what: 'was sent, and its last ledger is closed',
      first: { expirationLedger: 999 },
      says: isPending,
    },
    {
      what: 'was refused, and a ledger may have it',
      first: { state: 'refused', expirationLedger: 999 },
      says: isPending,
    },
    { what: 'cannot be resolved', first: { isResolvable: false }, says: isPending },
    {
      what: 'was given back and can be claimed no more',
      first: { state: 'released', expirationLedger: 999, mayBeSent: false },
      says: hasEnded,
    },
    {
      what: 'lost its owner and can be claimed no more',
      first: { state: 'abandoned', expirationLedger: 999, mayBeSent: false },
      says: hasEnded,
    },
    {
      what: 'is claimed, and its last ledger is closed',
      first: { state: 'claimed', expirationLedger: 999, mayBeSent: false },
      says: isPending,
    },
    {
      what: 'was refused by the network before it was given back',
      first: { state: 'released', expirationLedger: 999 },
      says: isPending,
    },
    { what: 'expired', first: { state: 'expired' }, says: 'expired unpaid, use a new identifier' },
    { what: 'succeeded', first: { state: 'succeeded' }, says: `is settled in transaction ${TX}` },
    {
      what: 'failed',
      first: { state: 'failed' },
      says: `failed on the ledger in transaction ${TX}, use a new identifier`,
    },
    {
      what: 'is deleted or lost',
      first: { state: null, transaction: null, expirationLedger: null },
      says: 'is not stored: send that one again to learn how it ends, and use a new identifier only when its authorization has ended unused',
    },
  ])('$what', ({ first, says }) => {
    expect(fateOf(first)).toBe(says)
  })

  it('is pending, while no ledger is known', () => {
    const unknown = { secondsPerLedger: 5 } as NetworkTime
    expect(fateOf({}, { time: unknown })).toBe(isPending)
    expect(fateOf({ state: 'released', mayBeSent: false }, { time: unknown })).toBe(isPending)
  })
})
