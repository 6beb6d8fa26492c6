import { describe, expect, test } from 'vitest'
import { planPool } from '../../../../../src/payments/channels/converge/plan.ts'
import { account, authorityOf, channel, nothing, onLedger, upTo } from './builders.ts'

const authorities = authorityOf(account())
const ownMark = { mark: 'store-a', storeId: 'store-a', ledger: 1_000 } as const

describe('a channel is quarantined', () => {
  const last = 2n ** 63n - 1n

  test('when its sequence number is used up; it cannot be merged either', () => {
    const accounts = new Map([...onLedger(1, 2), [0, account({ sequence: last })]])
    const plan = planPool({
      desired: 2,
      channels: upTo(3).map((i) => channel(i)),
      accounts,
      authorities,
      ...ownMark,
    })
    expect(plan).toEqual({
      ...nothing,
      quarantine: [{ index: 0, because: expect.stringContaining(String(last)) }],
      ready: [1, 2],
    })
  })

  test.each([
    { of: 'its key has lost its weight', changed: { keyLacksWeight: true } },
    { of: 'it has a data entry', changed: { subentries: 1 } },
    { of: 'it sponsors an entry', changed: { sponsoring: 1 } },
    { of: 'its sequence number is one of a ledger to come', changed: { sequence: 1_001n << 32n } },
  ] as const)('when $of, and the others are merged without it', ({ changed }) => {
    const accounts = new Map([...onLedger(1, 2), [0, account(changed)]])
    const channels = upTo(3).map((i) => channel(i, { state: 'draining' }))
    const plan = planPool({
      ...{ desired: 0, purpose: 'empty', channels, accounts, authorities, ...ownMark },
    })
    expect(plan.merge).toEqual([1, 2])
    const managed = planPool({
      ...{
        desired: 2,
        channels: upTo(3).map((i) => channel(i)),
        accounts,
        authorities,
        ...ownMark,
      },
    })
    expect([managed.quarantine.map(({ index }) => index), managed.ready]).toEqual([[0], [1, 2]])
  })

  test('and replaced, but no more of them than the pool is to have', () => {
    const stuck = (count: number) =>
      planPool({
        desired: 2,
        channels: upTo(count).map((i) => channel(i, { state: 'quarantined' })),
        accounts: new Map(upTo(count).map((i) => [i, account({ keyLacksWeight: true })])),
        authorities,
        ...ownMark,
      }).create
    expect([0, 1, 2, 3, 4, 5].map((count) => stuck(count).length)).toEqual([2, 2, 2, 1, 0, 0])
  })

  test('when its settlements miss repeatedly and those of other channels do not', () => {
    const channels = upTo(8).map((i) => channel(i, { misses: i === 3 ? 3 : 0 }))
    const { quarantine, ready, create } = planPool({
      desired: 8,
      channels,
      accounts: onLedger(...upTo(8)),
      authorities,
      ...ownMark,
    })
    expect(quarantine).toEqual([{ index: 3, because: expect.stringContaining('last 3') }])
    expect(ready).toEqual([0, 1, 2, 4, 5, 6, 7])
    expect(create).toEqual([8])
  })

  test.each([
    { of: 'it missed only twice', missing: 1, misses: 2 },
    { of: 'many channels miss, so that the cause is elsewhere', missing: 3, misses: 9 },
  ])('but not when $of', ({ missing, misses }) => {
    const channels = upTo(8).map((i) => channel(i, { misses: i < missing ? misses : 0 }))
    const plan = planPool({
      desired: 8,
      channels,
      accounts: onLedger(...upTo(8)),
      authorities,
      ...ownMark,
    })
    expect(plan).toEqual({ ...nothing, ready: upTo(8) })
  })
})
