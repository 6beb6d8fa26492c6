import { describe, expect, test } from 'vitest'
import { QueueCapacity } from '../../../../../src/payments/engine/limits/capacity/queue-capacity.ts'
import type { LedgerResources } from '../../../../../src/stellar/transactions/ledger-resources.ts'

/** Testnet's. */
const limits: LedgerResources = {
  transactions: 2_000,
  transactionBytes: 266_240,
  instructions: 1_160_000_000,
  diskReads: 1_000,
  diskReadBytes: 400_000,
  writes: 1_000,
  writeBytes: 286_720,
}

const transfer: LedgerResources = {
  transactions: 2,
  transactionBytes: 1_120,
  instructions: 744_489,
  diskReads: 3,
  diskReadBytes: 376,
  writes: 3,
  writeBytes: 308,
}

const capacityAfter = (settlements: readonly LedgerResources[]): QueueCapacity => {
  const capacity = new QueueCapacity()
  for (const each of settlements) capacity.observe(each)
  return capacity
}

const repeat = (times: number, each: LedgerResources) => Array.from({ length: times }, () => each)

describe('QueueCapacity', () => {
  test('is two ledgers, less 5 % for others, once it knows the settlements', () => {
    // 475 settlements of 1,120 bytes fit into 532,480 bytes.
    expect(capacityAfter(repeat(1_000, transfer)).settlementsWithin(limits)).toBe(451)
  })

  test('counts on a little less before the first settlement', () => {
    const capacity = new QueueCapacity().settlementsWithin(limits)
    expect(capacity).toBeGreaterThan(420)
    expect(capacity).toBeLessThan(451)
  })

  test.each<{ name: keyof LedgerResources; limit: number; expected: number }>([
    { name: 'transactions', limit: 100, expected: 95 },
    { name: 'instructions', limit: 74_448_900, expected: 190 },
    { name: 'diskReads', limit: 300, expected: 190 },
    { name: 'diskReadBytes', limit: 37_600, expected: 190 },
    { name: 'writes', limit: 300, expected: 190 },
    { name: 'writeBytes', limit: 30_800, expected: 190 },
  ])('goes by the scarcest resource: $name', ({ name, limit, expected }) => {
    const capacity = capacityAfter(repeat(1_000, transfer))
    // Slightly more than the limit, as the average is not exact.
    expect(capacity.settlementsWithin({ ...limits, [name]: limit * 1.0001 })).toBe(expected)
  })

  test('one costly settlement among many lowers it by as much as it takes itself', () => {
    const costly = { ...transfer, instructions: 100_000_000 }
    const capacity = capacityAfter([...repeat(1_000, transfer), costly])
    expect(capacity.settlementsWithin(limits)).toBe(451)
  })

  test('costly settlements alone lower it to what the queue holds of them', () => {
    const costly = { ...transfer, instructions: 100_000_000 }
    expect(capacityAfter(repeat(1_000, costly)).settlementsWithin(limits)).toBe(22)
  })

  test('is never below one', () => {
    const capacity = capacityAfter(repeat(1_000, { ...transfer, transactionBytes: 1_000_000 }))
    expect(capacity.settlementsWithin(limits)).toBe(1)
  })
})
