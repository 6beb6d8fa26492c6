import { expect, test } from 'vitest'
import {
  type AutoscaleState,
  autoscale,
  type PoolUse,
} from '../../../../../../src/kubernetes/operator/channel-pool/converge/autoscale.ts'

const rule = { min: 8, max: 40, targetLeaseWaitMs: 250 }
const NOW = 1_000_000_000
const MINUTE = 60_000
const long = NOW - 60 * MINUTE

const quiet: PoolUse = { leaseWaitP95Ms: undefined, inUse: 0, active: 8 }
const waiting: PoolUse = { leaseWaitP95Ms: 251, inUse: 8, active: 8 }

test.each<{
  of: string
  use: PoolUse
  before: AutoscaleState | undefined
  after: AutoscaleState
}>([
  {
    of: 'starts with the minimum without channels',
    use: { ...waiting, active: 0 },
    before: undefined,
    after: { channels: 8, changedAt: NOW },
  },
  {
    of: 'starts with the channels that exist, and merges none of them',
    use: { ...quiet, active: 12 },
    before: undefined,
    after: { channels: 12, changedAt: NOW },
  },
  {
    of: 'starts with the maximum when more exist',
    use: { ...quiet, active: 50 },
    before: undefined,
    after: { channels: 40, changedAt: NOW },
  },
  {
    of: 'grows by half when settlements wait',
    use: waiting,
    before: { channels: 9, changedAt: long },
    after: { channels: 14, changedAt: NOW },
  },
  {
    of: 'grows to the maximum and no further',
    use: waiting,
    before: { channels: 38, changedAt: long },
    after: { channels: 40, changedAt: NOW },
  },
  {
    of: 'stays at the maximum, however long they wait',
    use: waiting,
    before: { channels: 40, changedAt: long },
    after: { channels: 40, changedAt: long },
  },
  {
    of: 'waits a minute between two growths',
    use: waiting,
    before: { channels: 12, changedAt: NOW - MINUTE + 1 },
    after: { channels: 12, changedAt: NOW - MINUTE + 1 },
  },
  {
    of: 'starts to count idle time',
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
    of: 'stays the same before that',
    use: quiet,
    before: { channels: 20, changedAt: long, idleSince: NOW - 10 * MINUTE + 1 },
    after: { channels: 20, changedAt: long, idleSince: NOW - 10 * MINUTE + 1 },
  },
  {
    of: 'resets the idle time when channels are used',
    use: { leaseWaitP95Ms: 10, inUse: 9, active: 8 },
    before: { channels: 20, changedAt: long, idleSince: NOW - 9 * MINUTE },
    after: { channels: 20, changedAt: long },
  },
  {
    of: 'stays the same while waits are between a quarter of the target and the target',
    use: { leaseWaitP95Ms: 100, inUse: 0, active: 8 },
    before: { channels: 20, changedAt: long, idleSince: NOW - 60 * MINUTE },
    after: { channels: 20, changedAt: long },
  },
  {
    of: 'never goes below the minimum',
    use: quiet,
    before: { channels: 8, changedAt: long, idleSince: long },
    after: { channels: 8, changedAt: long },
  },
  {
    of: 'follows changed bounds at once',
    use: quiet,
    before: { channels: 60, changedAt: NOW },
    after: { channels: 40, changedAt: NOW },
  },
])('the count $of', ({ use, before, after }) => {
  expect(autoscale(rule, use, before, NOW)).toEqual(after)
})

test('never swings: at a constant load it does not grow again after shrinking', () => {
  for (let inUse = 0; inUse <= 40; inUse++) {
    let state: AutoscaleState = { channels: 40, changedAt: 0 }
    const sizes: number[] = []
    for (let minute = 0; minute < 300; minute++) {
      const leaseWaitP95Ms = inUse >= state.channels ? 5_000 : 0
      state = autoscale(rule, { leaseWaitP95Ms, inUse, active: 8 }, state, minute * MINUTE)
      sizes.push(state.channels)
    }
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  }
})
