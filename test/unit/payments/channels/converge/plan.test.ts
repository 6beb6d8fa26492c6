import { describe, expect, test } from 'vitest'
import { type PoolPlan, planPool } from '../../../../../src/payments/channels/converge/plan.ts'
import type { PoolChannel } from '../../../../../src/payments/store/pools/pool-channels.ts'
import type { AccountState } from '../../../../../src/stellar/rpc/rpc.ts'
import { account, authorityOf, channel, nothing, onLedger } from './builders.ts'

const quarantined = { state: 'quarantined', quarantinedBecause: 'it is stuck' } as const
const draining = { state: 'draining' } as const
const retired = { state: 'retired' } as const
const leased = { isLeased: true }
const authorities = authorityOf(account())
const noAuthority = authorityOf(undefined)
const own = ['GAUTHORITY']
const ownMark = { mark: 'store-a', storeId: 'store-a', ledger: 1_000 } as const

test.each<{
  of: string
  desired: number
  channels: readonly PoolChannel[]
  accounts: ReadonlyMap<number, AccountState>
  plan: Partial<PoolPlan>
}>([
  {
    of: 'a new pool creates every channel',
    desired: 3,
    channels: [],
    accounts: onLedger(),
    plan: { create: [0, 1, 2] },
  },
  {
    of: 'a pool with all its channels changes nothing',
    desired: 2,
    channels: [channel(0), channel(1, leased)],
    accounts: onLedger(0, 1),
    plan: { ready: [0, 1] },
  },
  {
    of: 'accounts that were created just before the leader died are activated',
    desired: 3,
    channels: [channel(0, draining), channel(1, draining), channel(2, draining)],
    accounts: onLedger(0, 1),
    plan: { activate: [0, 1], create: [2] },
  },
  {
    of: 'accounts of an earlier pool are adopted, surplus ones too',
    desired: 2,
    channels: [],
    accounts: onLedger(0, 1, 2, 5),
    plan: { activate: [0, 1], adopt: [2, 5] },
  },
  {
    of: 'growing creates the next indices',
    desired: 3,
    channels: [channel(0), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [0, 1], create: [2] },
  },
  {
    of: 'growing reuses accounts that are still draining',
    desired: 2,
    channels: [channel(0), channel(1, { ...draining, ...leased })],
    accounts: onLedger(0, 1),
    plan: { ready: [0], activate: [1] },
  },
  {
    of: 'growing creates retired accounts again',
    desired: 2,
    channels: [channel(0), channel(1, retired)],
    accounts: onLedger(0),
    plan: { ready: [0], create: [1] },
  },
  {
    of: 'shrinking drains the highest indices',
    desired: 1,
    channels: [channel(0), channel(1), channel(2, leased)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0], drain: [1, 2], busy: [2] },
  },
  {
    of: 'a drained idle channel is merged',
    desired: 1,
    channels: [channel(0), channel(1, draining), channel(2, { ...draining, ...leased })],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0], merge: [1], busy: [2] },
  },
  {
    of: 'a merged channel is retired',
    desired: 1,
    channels: [channel(0), channel(1, draining)],
    accounts: onLedger(0),
    plan: { ready: [0], retire: [1] },
  },
  {
    of: 'a retired channel that is still on the ledger is merged again',
    desired: 1,
    channels: [channel(0), channel(1, retired)],
    accounts: onLedger(0, 1),
    plan: { ready: [0], merge: [1] },
  },
  {
    of: 'a pool scaled to zero drains and merges all its channels',
    desired: 0,
    channels: [channel(0), channel(1, leased), channel(2, quarantined)],
    accounts: onLedger(0, 1, 2),
    plan: { drain: [0, 1], merge: [2], busy: [1] },
  },
  {
    of: 'a channel merged by another program is drained and created again',
    desired: 2,
    channels: [channel(0), channel(1)],
    accounts: onLedger(0),
    plan: { ready: [0], drain: [1], create: [1] },
  },
  {
    of: 'a channel merged by another program while a settlement uses it waits for the settlement',
    desired: 1,
    channels: [channel(0, leased)],
    accounts: onLedger(),
    plan: { drain: [0], busy: [0] },
  },
  {
    of: 'an idle quarantined channel is replaced and merged',
    desired: 2,
    channels: [channel(0, quarantined), channel(1), channel(2)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [1, 2], merge: [0] },
  },
  {
    of: 'a quarantined channel that a settlement uses is not merged',
    desired: 1,
    channels: [channel(0, { ...quarantined, ...leased }), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [1], busy: [0] },
  },
  {
    of: 'a quarantined channel that is not on the ledger is retired',
    desired: 1,
    channels: [channel(0, quarantined), channel(1)],
    accounts: onLedger(1),
    plan: { ready: [1], retire: [0] },
  },
  {
    of: 'a channel held by an unresolvable settlement is replaced, not merged',
    desired: 2,
    channels: [channel(0, { ...leased, heldBy: 7n }), channel(1)],
    accounts: onLedger(0, 1),
    plan: { ready: [1], create: [2] },
  },
  {
    of: 'once that settlement is resolved the replacement is drained',
    desired: 2,
    channels: [channel(0), channel(1), channel(2)],
    accounts: onLedger(0, 1, 2),
    plan: { ready: [0, 1], drain: [2] },
  },
])('$of', ({ desired, channels, accounts, plan }) => {
  expect(planPool({ desired, channels, accounts, authorities, ...ownMark })).toEqual({
    ...nothing,
    ...plan,
  })
})

describe('the settlement authority', () => {
  const planned = (input: Partial<Parameters<typeof planPool>[0]>) => {
    const all = {
      desired: 1,
      channels: [channel(0)],
      accounts: onLedger(0),
      authorities,
      ...ownMark,
    }
    const { createAuthorities, mergeAuthorities } = planPool({ ...all, ...input })
    return { createAuthorities, mergeAuthorities }
  }
  const neither = { createAuthorities: [], mergeAuthorities: [] }
  const emptied = { desired: 0, channels: [channel(0, retired)], accounts: onLedger() }

  test.each<{
    of: string
    input: Parameters<typeof planned>[0]
    plan: ReturnType<typeof planned>
  }>([
    { of: 'exists with the channels', input: {}, plan: neither },
    {
      of: 'is created beside channels that exist',
      input: { authorities: noAuthority },
      plan: { ...neither, createAuthorities: own },
    },
    {
      of: 'is created with the first channels',
      input: { channels: [], accounts: onLedger(), authorities: noAuthority },
      plan: { ...neither, createAuthorities: own },
    },
    {
      of: 'stays while a channel account is left',
      input: { ...emptied, channels: [channel(0, draining)], accounts: onLedger(0) },
      plan: neither,
    },
    {
      of: 'stays while a settlement is under way, although its channel is gone',
      input: { ...emptied, channels: [channel(0, { ...draining, ...leased })] },
      plan: neither,
    },
    { of: 'is merged last', input: emptied, plan: { ...neither, mergeAuthorities: own } },
    {
      of: 'is not created for a pool without channels',
      input: { ...emptied, authorities: noAuthority },
      plan: neither,
    },
  ])('$of', ({ input, plan }) => {
    expect(planned(input)).toEqual(plan)
  })
})

describe('the mark of the sponsor', () => {
  const planned = (input: Partial<Parameters<typeof planPool>[0]>) => {
    const all = {
      desired: 1,
      channels: [channel(0)],
      accounts: onLedger(0),
      authorities,
      ...ownMark,
    }
    const { setMark, removeMark } = planPool({ ...all, ...input })
    return { setMark, removeMark }
  }
  const neither = { setMark: false, removeMark: false }
  const emptied = { desired: 0, channels: [channel(0, retired)], accounts: onLedger() }

  test.each<{
    of: string
    input: Parameters<typeof planned>[0]
    plan: ReturnType<typeof planned>
  }>([
    { of: 'stays while the pool has channels', input: {}, plan: neither },
    {
      of: 'is set beside channels that svc provision created',
      input: { mark: undefined },
      plan: { ...neither, setMark: true },
    },
    {
      of: 'is set before channels that svc provision created are merged',
      input: { mark: undefined, desired: 0, channels: [channel(0, draining)] },
      plan: { ...neither, setMark: true },
    },
    {
      of: 'replaces that of a store which the pool takes over',
      input: { mark: 'store-b' },
      plan: { ...neither, setMark: true },
    },
    {
      of: 'stays while a channel account is left',
      input: { ...emptied, channels: [channel(0, draining)], accounts: onLedger(0) },
      plan: neither,
    },
    { of: 'goes with the authority', input: emptied, plan: { ...neither, removeMark: true } },
    {
      of: 'goes alone where there is no authority',
      input: { ...emptied, authorities: noAuthority },
      plan: { ...neither, removeMark: true },
    },
  ])('$of', ({ input, plan }) => {
    expect(planned(input)).toEqual(plan)
  })
})

test('accounts that the store does not know wait for its mark: they may be those of another store', () => {
  const input = { desired: 2, channels: [channel(3)], accounts: onLedger(0, 1, 3, 4), authorities }
  const unmarked = planPool({ ...input, ...ownMark, mark: undefined })
  expect(unmarked).toMatchObject({ unclaimed: [0, 1, 4], adopt: [], activate: [], setMark: true })
  expect(unmarked.merge).toEqual([])
  const marked = planPool({ ...input, ...ownMark })
  expect(marked).toMatchObject({ unclaimed: [], adopt: [4], activate: [0, 1], setMark: false })
})

/** What the administrator's commands and the start of a service ask for: they mark nothing, and replace no channel. */
test.each<{ of: string; input: Partial<Parameters<typeof planPool>[0]>; plan: Partial<PoolPlan> }>([
  {
    of: 'growing leaves channels beyond the wanted ones as they are, and replaces none that failed',
    input: {
      purpose: 'grow',
      desired: 2,
      channels: [channel(0, { misses: 9 }), channel(1, { ...quarantined, heldBy: 7n }), channel(5)],
      accounts: onLedger(0, 1, 5, 6),
    },
    plan: { ready: [0], activate: [1] },
  },
  {
    of: 'growing makes channels active once all are on the ledger',
    input: {
      purpose: 'grow',
      desired: 3,
      channels: [channel(0), channel(1, draining)],
      accounts: onLedger(0, 1),
    },
    plan: { ready: [0], create: [2] },
  },
  {
    of: 'growing creates again the channel of a settlement, after a reset of the network',
    input: { purpose: 'grow', desired: 1, channels: [channel(0, leased)], accounts: onLedger() },
    plan: { create: [0] },
  },
  {
    of: 'growing creates an authority although no channel is wanted',
    input: { purpose: 'grow', desired: 0, authorities: noAuthority },
    plan: { createAuthorities: own },
  },
  {
    of: 'emptying takes over what only the ledger has, without a mark',
    input: { purpose: 'empty', channels: [channel(0, draining)], accounts: onLedger(0, 3) },
    plan: { adopt: [3], merge: [0] },
  },
  {
    of: 'emptying waits for the channel of a settlement',
    input: {
      purpose: 'empty',
      channels: [channel(0, { ...draining, ...leased }), channel(1, { ...draining, heldBy: 7n })],
      accounts: onLedger(0, 1),
    },
    plan: { busy: [0] },
  },
  {
    of: 'emptying merges in an emergency what an administrator would have to end',
    input: {
      purpose: 'empty',
      takesHeld: true,
      channels: [channel(0, { ...draining, ...leased, heldBy: 7n })],
      accounts: onLedger(0),
    },
    plan: { merge: [0] },
  },
  {
    of: 'emptying leaves the mark of a sponsor that pays for entries which were not found',
    input: { purpose: 'empty', mark: 'store-a', hasMore: true },
    plan: { mergeAuthorities: own },
  },
])('$of', ({ input, plan }) => {
  const none = { desired: 0, channels: [], accounts: onLedger(), authorities, hasMore: false }
  const planned = planPool({ ...none, ...ownMark, mark: undefined, ...input })
  expect(planned).toEqual({ ...nothing, ...plan })
})
