import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/open.ts'
import { databaseNow } from '../../../src/store/sql-time.ts'
import {
  claimRequest,
  ending,
  fence,
  NO_TIME,
  network,
  putChannels,
  recording,
  sponsor,
  submit,
} from './builders.ts'
import { emptyTables, openEmptyStore, storeKinds } from './open-stores.ts'

describe.each(storeKinds)('leasing in a %s store', (kind) => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore(kind)
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = (...args: Parameters<typeof claimRequest>) =>
    store.settlements.claimWithChannel(claimRequest(...args))
  const lease = (...args: Parameters<typeof fence>) =>
    store.settlements.leaseChannel({ ...fence(...args), leaseTtlMs: 120_000 })
  const inUse = async () => (await store.channels.countUse(network, sponsor)).inUse

  it('finds none free until a settlement gives its channel back', async () => {
    await putChannels(store, 1)
    await claim('1')
    await claim('2')
    expect(await lease('2')).toEqual({ kind: 'none_free' })
    await store.settlements.release(fence('1'))
    expect(await lease('2')).toEqual({
      kind: 'leased',
      channel: { account: 'GCHANNEL0', index: 0, sequence: 100n },
    })
  })

  it.each([
    ['another owner', { owner: 'two' }],
    ['an earlier attempt', { attempt: 0 }],
    ['a later attempt', { attempt: 2 }],
  ])('leases nothing for %s', async (_, overrides) => {
    await putChannels(store, 1)
    await store.db.updateTable('channels').set({ state: 'draining' }).execute()
    await claim('1')
    await store.db.updateTable('channels').set({ state: 'active' }).execute()
    expect(await lease('1', overrides)).toEqual({ kind: 'claim_lost' })
    expect(await inUse()).toBe(0)
  })

  it('leases nothing for a claim that was given back', async () => {
    await claim('1')
    await store.settlements.release(fence('1'))
    await putChannels(store, 1)
    expect(await lease('1')).toEqual({ kind: 'claim_lost' })
  })

  it('passes an expired lease on, and refuses the record of the one who had it', async () => {
    await putChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    expect(await claim('2')).toMatchObject({ channel: { account: 'GCHANNEL0' } })
    expect(await store.settlements.record(recording('1'))).toBe(false)
    expect(await store.settlements.record(recording('2'))).toBe(true)
  })

  it('lets an expired lease be recorded while nobody else took the channel', async () => {
    await putChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    expect(await store.settlements.record(recording('1'))).toBe(true)
  })

  it('never frees the channel of a recorded settlement by time alone', async () => {
    await putChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    await store.settlements.record(recording('1'))
    expect(await inUse()).toBe(1)
    expect(await claim('2')).toMatchObject({ channel: undefined })
  })

  it('keeps the channel of a recorded settlement even where its lease was taken away', async () => {
    await putChannels(store, 1)
    await submit(store, '1')
    await store.db
      .updateTable('channels')
      .set({ lease_owner: null, lease_settlement: null, lease_expires_at: null })
      .execute()
    expect(await claim('2')).toMatchObject({ channel: undefined })
    await store.db
      .updateTable('channels')
      .set({ lease_owner: 'operator', lease_expires_at: databaseNow })
      .execute()
    expect(await claim('3')).toMatchObject({ channel: undefined })
  })

  it('continues from the sequence number that a finished settlement used', async () => {
    await putChannels(store, 1)
    await submit(store, '1')
    await store.settlements.finish(ending('1'))
    expect(await claim('2')).toMatchObject({ channel: { sequence: 101n } })
  })

  it('forgets the sequence number when the ledger may not have used it', async () => {
    await putChannels(store, 1)
    await submit(store, '1')
    await store.settlements.finish(ending('1', { state: 'expired', sequence: 'unknown' }))
    expect(await claim('2')).toMatchObject({ channel: { sequence: undefined } })
  })

  it('spends no sequence number on a claim that was given back', async () => {
    await putChannels(store, 1)
    await claim('1')
    await store.settlements.release(fence('1'))
    expect(await claim('2')).toMatchObject({ channel: { sequence: 100n } })
  })

  it('lists channels in order, with what holds them', async () => {
    await putChannels(store, 2)
    await submit(store, '1')
    expect(await store.channels.list(network, sponsor)).toEqual([
      {
        network,
        sponsor,
        index: 0,
        account: 'GCHANNEL0',
        state: 'active',
        sequence: 101n,
        isLeased: true,
        lastUsedAt: expect.any(Date),
      },
      {
        network,
        sponsor,
        index: 1,
        account: 'GCHANNEL1',
        state: 'active',
        sequence: 100n,
        isLeased: false,
        lastUsedAt: undefined,
      },
    ])
    expect(await store.channels.list(network, 'GOTHER')).toEqual([])
    expect(await store.channels.list(network)).toHaveLength(2)
  })

  it('puts a known channel again without touching its lease or its sequence number', async () => {
    await putChannels(store, 1)
    await submit(store, '1')
    await putChannels(store, 2)
    const [first, second] = await store.channels.list(network, sponsor)
    expect(first).toMatchObject({ sequence: 101n, isLeased: true })
    expect(second).toMatchObject({ sequence: 100n, isLeased: false })
  })

  it('puts a retired channel back to work', async () => {
    await putChannels(store, 1)
    await store.db.updateTable('channels').set({ state: 'retired' }).execute()
    await putChannels(store, 1)
    expect(await store.channels.list(network, sponsor)).toMatchObject([
      { state: 'active', sequence: 100n },
    ])
  })

  it.each([
    ['one that the network knows nothing of any more', 7n, undefined],
    ['one that was used since it was read', 100n, undefined],
    ['none, for it may have been used since it was read', undefined, undefined],
    ['the very one that is put', 101n, 101n],
  ])('puts a resting channel again that has %s', async (_, read, kept) => {
    await putChannels(store, 1)
    await submit(store, '1')
    const sequence = read === undefined ? 'unknown' : 'keep'
    await store.settlements.finish(ending('1', { sequence }))
    const entry = { network, sponsor, index: 0, account: 'GCHANNEL0' } as const
    await store.channels.put([{ ...entry, sequence: read ?? 100n }])
    expect(await store.channels.list(network, sponsor)).toMatchObject([{ sequence: kept }])
  })
})
