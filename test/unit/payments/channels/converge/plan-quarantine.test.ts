import { describe, expect, test } from 'vitest'
import { planPool } from '../../../../../src/payments/channels/converge/plan.ts'
import { account, authorityOf, channel, nothing, onLedger, upTo } from './builders.ts'

const authorities = authorityOf(account())
const ownMark = { mark: 'store-a', storeId: 'store-a' } as const

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
