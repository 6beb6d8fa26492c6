import { expect, test } from 'vitest'
import {
  type AutoscaleMemory,
  autoscale,
  type PoolUse,
} from '../../../../src/operator/channel-pool/autoscale.ts'

const rule = { min: 8, max: 40, targetLeaseWaitMs: 250 }
const NOW = 1_000_000_000
const MINUTE = 60_000
const long = NOW - 60 * MINUTE

const quiet: PoolUse = { leaseWaitP95Ms: undefined, inUse: 0 }
const waiting: PoolUse = { leaseWaitP95Ms: 251, inUse: 8 }

test.each<{
  of: string
  use: PoolUse
  before: AutoscaleMemory | undefined
  after: AutoscaleMemory
}>([
  {
    of: 'starts with the fewest',
    use: waiting,
    before: undefined,
    after: { channels: 8, changedAt: NOW },
  },
  {
    of: 'grows by half when settlements wait',
    use: waiting,
    before: { channels: 9, changedAt: long },
    after: { channels: 14, changedAt: NOW },
  },
  {
    of: 'grows to the most there may be, and no further',
    use: waiting,
    before: { channels: 38, changedAt: long },
    after: { channels: 40, changedAt: NOW },
  },
  {
    of: 'stays at the most, however they wait',
    use: waiting,
    before: { channels: 40, changedAt: long },
    after: { channels: 40, changedAt: long },
  },
  {
    of: 'lets a growth be felt before the next',
    use: waiting,
    before: { channels: 12, changedAt: NOW - MINUTE + 1 },
    after: { channels: 12, changedAt: NOW - MINUTE + 1 },
  },
  {
    of: 'begins to count idleness',
    use: quiet,
    before: { channels: 20, changedAt: long },
    after: { channels: 20, changedAt: long, idleSince: NOW },
  },
  {
    of: 'shrinks by a fifth after ten idle minutes',
    use: quiet,
    before: { channels: 20, changedAt: long, idleSince: NOW - 10 * MINUTE },
    after: { channels: 16, changedAt: NOW },
  },
  {
    of: 'stays as it is until then',
    use: quiet,
    before: { channels: 20, changedAt: long, idleSince: NOW - 10 * MINUTE + 1 },
    after: { channels: 20, changedAt: long, idleSince: NOW - 10 * MINUTE + 1 },
  },
  {
    of: 'forgets idleness when channels are used',
    use: { leaseWaitP95Ms: 10, inUse: 9 },
    before: { channels: 20, changedAt: long, idleSince: NOW - 9 * MINUTE },
    after: { channels: 20, changedAt: long },
  },
  {
    of: 'changes nothing between calm and target',
    use: { leaseWaitP95Ms: 100, inUse: 0 },
    before: { channels: 20, changedAt: long, idleSince: NOW - 60 * MINUTE },
    after: { channels: 20, changedAt: long },
  },
  {
    of: 'never goes below the fewest',
    use: quiet,
    before: { channels: 8, changedAt: long, idleSince: long },
    after: { channels: 8, changedAt: long },
  },
  {
    of: 'follows bounds that were changed, at once',
    use: quiet,
    before: { channels: 60, changedAt: NOW },
    after: { channels: 40, changedAt: NOW },
  },
])('the count $of', ({ use, before, after }) => {
  expect(autoscale(rule, use, before, NOW)).toEqual(after)
})

test('never swings: what it shrinks to at one load it does not grow from at the same', () => {
  for (let inUse = 0; inUse <= 40; inUse++) {
    let memory: AutoscaleMemory = { channels: 40, changedAt: 0 }
    const seen: number[] = []
    for (let minute = 0; minute < 300; minute++) {
      const leaseWaitP95Ms = inUse >= memory.channels ? 5_000 : 0
      memory = autoscale(rule, { leaseWaitP95Ms, inUse }, memory, minute * MINUTE)
      seen.push(memory.channels)
    }
    expect(seen).toEqual(seen.toSorted((one, other) => other - one))
  }
})
