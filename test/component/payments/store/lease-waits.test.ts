import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourCountWriter } from '../../../../src/payments/store/hour-counts.ts'
import { leaseWaitKind, readLeaseWaitP95Ms } from '../../../../src/payments/store/lease-waits.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const network = 'stellar:testnet'

describe('waits for a channel', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())

  const waited = (ms: number, count: number) =>
    hourCountWriter(store.db)([{ network, kind: leaseWaitKind(ms), count }])

  test('give the 95th percentile', async () => {
    expect(await readLeaseWaitP95Ms(store.db, network)).toBeUndefined()
    await waited(2, 95)
    expect(await readLeaseWaitP95Ms(store.db, network)).toBe(5)
    await waited(180, 5)
    expect(await readLeaseWaitP95Ms(store.db, network)).toBe(5)
    await waited(3_000, 5)
    expect(await readLeaseWaitP95Ms(store.db, network)).toBe(250)
    await waited(900_000, 100)
    expect(await readLeaseWaitP95Ms(store.db, network)).toBe(60_000)
  })

  test('of another network do not count', async () => {
    expect(await readLeaseWaitP95Ms(store.db, 'stellar:pubnet')).toBeUndefined()
  })
})
