import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leaseWaitKind } from '../../../src/store/lease-waits.ts'
import type { Store } from '../../../src/store/open.ts'
import { openEmptyStore, storeKinds } from './open-stores.ts'

const network = 'stellar:testnet'

describe.each(storeKinds)('waits for a channel, counted in store %s,', (kind) => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore(kind)
  })
  afterAll(() => store.close())

  const waited = (ms: number, count: number) =>
    store.hourCounts.add([{ network, kind: leaseWaitKind(ms), count }])

  test('tell how long 95 of 100 settlements waited at most', async () => {
    expect(await store.hourCounts.leaseWaitP95Ms(network)).toBeUndefined()
    await waited(2, 95)
    expect(await store.hourCounts.leaseWaitP95Ms(network)).toBe(5)
    await waited(180, 5)
    expect(await store.hourCounts.leaseWaitP95Ms(network)).toBe(5)
    await waited(3_000, 5)
    expect(await store.hourCounts.leaseWaitP95Ms(network)).toBe(250)
    await waited(900_000, 100)
    expect(await store.hourCounts.leaseWaitP95Ms(network)).toBe(60_000)
  })

  test('of another network do not count', async () => {
    expect(await store.hourCounts.leaseWaitP95Ms('stellar:pubnet')).toBeUndefined()
  })
})
