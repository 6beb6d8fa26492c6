import { describe, expect, test } from 'vitest'
import {
  indicesInQuestion,
  mayHaveMore,
  type PoolPlan,
  planPool,
} from '../../../../src/operator/channel-pool/plan.ts'
import type { AccountState } from '../../../../src/stellar/rpc.ts'
import type { PoolChannel } from '../../../../src/store/pools/pool-channels.ts'
import { account, channel, onLedger, upTo } from './observations.ts'

const nothing: PoolPlan = {
  quarantine: [],
  adopt: [],
  drain: [],
  put: [],
  retire: [],
  create: [],
  merge: [],
  busy: [],
  ready: [],
}

const quarantined = { state: 'quarantined', quarantinedBecause: 'no use' } as const
const draining = { state: 'draining' } as const
const retired = { state: 'retired' } as const
const leased = { isLeased: true }

test.each<{
  of: string
  wanted: number
  channels: readonly PoolChannel[]
  accounts: ReadonlyMap<number, AccountState>
  plan: Partial<PoolPlan>
}>([
  {
    of: 'a new pool creates every channel',
    wanted: 3,
    channels: [],
    accounts: onLedger(),
    plan: { create: [0, 1, 2] },
  },
  {
    of: 'a pool that is as wanted does nothing',
    wanted: 2,
    channels: [channel(0), channel(1, leased)],
    accounts: onLedger(0, 1),
    plan: { ready: [0, 1] },
  },
  {
    of: 'accounts that were created before their leader died are put',
    wanted: 3,
    channels: [channel(0, draining), channel(1, draining), channel(2, draining)],
    accounts: onLedger(0, 1),
    plan: { put: [0, 1], create: [2] },
  },
  {
    of: 'a pool that exists on the ledger is adopted, and what is too much of it too',
    wanted: 2,
    channels: [],
    accounts: onLedger(0, 1, 2, 5),
    plan: { put: [0, 1], adopt: [2, 5] },
  },
  {
    of: 'growing makes the next ones',
    wanted: 3,
    channels: [channel(0), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [0, 1], create: [2] },
  },
  {
    of: 'growing meets accounts that are still leaving',
    wanted: 2,
    channels: [channel(0), channel(1, { ...draining, ...leased })],
    accounts: onLedger(0, 1),
    plan: { ready: [0], put: [1] },
  },
  {
    of: 'growing makes retired ones anew',
    wanted: 2,
    channels: [channel(0), channel(1, retired)],
    accounts: onLedger(0),
    plan: { ready: [0], create: [1] },
  },
  {
    of: 'shrinking drains the highest',
    wanted: 1,
    channels: [channel(0), channel(1), channel(2, leased)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0], drain: [1, 2], busy: [2] },
  },
  {
    of: 'what is drained and idle is merged',
    wanted: 1,
    channels: [channel(0), channel(1, draining), channel(2, { ...draining, ...leased })],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0], merge: [1], busy: [2] },
  },
  {
    of: 'what was merged is retired',
    wanted: 1,
    channels: [channel(0), channel(1, draining)],
    accounts: onLedger(0),
    plan: { ready: [0], retire: [1] },
  },
  {
    of: 'what was retired and lies on the ledger nevertheless is merged again',
    wanted: 1,
    channels: [channel(0), channel(1, retired)],
    accounts: onLedger(0, 1),
    plan: { ready: [0], merge: [1] },
  },
  {
    of: 'no channel is wanted any more',
    wanted: 0,
    channels: [channel(0), channel(1, leased), channel(2, quarantined)],
    accounts: onLedger(0, 1, 2),
    plan: { drain: [0, 1], merge: [2], busy: [1] },
  },
  {
    of: 'a channel that somebody merged is not leased until it was made anew',
    wanted: 2,
    channels: [channel(0), channel(1)],
    accounts: onLedger(0),
    plan: { ready: [0], drain: [1], create: [1] },
  },
  {
    of: 'one that somebody merged while a settlement uses it has to wait',
    wanted: 1,
    channels: [channel(0, leased)],
    accounts: onLedger(),
    plan: { drain: [0], busy: [0] },
  },
  {
    of: 'a channel in quarantine is replaced, and merged once nobody uses it',
    wanted: 2,
    channels: [channel(0, quarantined), channel(1), channel(2)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [1, 2], merge: [0] },
  },
  {
    of: 'one in quarantine that a settlement uses is left alone',
    wanted: 1,
    channels: [channel(0, { ...quarantined, ...leased }), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [1], busy: [0] },
  },
  {
    of: 'one in quarantine that is off the ledger is retired',
    wanted: 1,
    channels: [channel(0, quarantined), channel(1)],
    accounts: onLedger(1),
    plan: { ready: [1], retire: [0] },
  },
  {
    of: 'a channel that only an operator can free is replaced and left alone',
    wanted: 2,
    channels: [channel(0, { ...leased, heldBy: 7n }), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [1], create: [2] },
  },
  {
    of: 'when it is free again its replacement goes',
    wanted: 2,
    channels: [channel(0), channel(1), channel(2)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0, 1], drain: [2] },
  },
])('$of', ({ wanted, channels, accounts, plan }) => {
  expect(planPool({ wanted, channels, accounts })).toEqual({ ...nothing, ...plan })
})

describe('a channel goes into quarantine', () => {
  const last = 2n ** 63n - 1n

  test('when its sequence number is used up; it cannot be merged either', () => {
    const accounts = new Map([...onLedger(1, 2), [0, account({ sequence: last })]])
    const plan = planPool({ wanted: 2, channels: upTo(3).map((i) => channel(i)), accounts })
    expect(plan).toEqual({
      ...nothing,
      quarantine: [{ index: 0, because: expect.stringContaining(String(last)) }],
      ready: [1, 2],
    })
  })

  test('when its settlements miss again and again while those of others do not', () => {
    const channels = upTo(8).map((i) => channel(i, { misses: i === 3 ? 3 : 0 }))
    const { quarantine, ready, create } = planPool({
      wanted: 8,
      channels,
      accounts: onLedger(...upTo(8)),
    })
    expect(quarantine).toEqual([{ index: 3, because: expect.stringContaining('last 3') }])
    expect(ready).toEqual([0, 1, 2, 4, 5, 6, 7])
    expect(create).toEqual([8])
  })

  test.each([
    { of: 'it missed twice only', missing: 1, misses: 2 },
    { of: 'many miss, which is the fault of something else', missing: 3, misses: 9 },
  ])('but not when $of', ({ missing, misses }) => {
    const channels = upTo(8).map((i) => channel(i, { misses: i < missing ? misses : 0 }))
    const plan = planPool({ wanted: 8, channels, accounts: onLedger(...upTo(8)) })
    expect(plan).toEqual({ ...nothing, ready: upTo(8) })
  })
})

describe('what has to be looked up', () => {
  test.each([
    { of: 'a new pool', wanted: 2, channels: [], indices: [0, 1, 2] },
    {
      of: 'one with channels beyond what is wanted',
      wanted: 1,
      channels: [channel(0), channel(7, retired)],
      indices: [0, 1, 7],
    },
    {
      of: 'one with replacements to come',
      wanted: 1,
      channels: [channel(0, quarantined), channel(1, { heldBy: 7n })],
      indices: [0, 1, 2, 3],
    },
  ])('of $of', ({ wanted, channels, indices }) => {
    expect(indicesInQuestion(wanted, channels)).toEqual(indices)
  })

  test('goes on when the sponsor pays for more than was found', () => {
    expect(mayHaveMore({ sponsoring: 4 }, onLedger(0, 1))).toBe(false)
    expect(mayHaveMore({ sponsoring: 6 }, onLedger(0, 1))).toBe(true)
  })
})
