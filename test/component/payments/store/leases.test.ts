import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels, putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { databaseNow } from '../../../../src/platform/database/sql-time.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  leaseOne,
  NO_TIME,
  network,
  recording,
  sponsor,
  submit,
} from './builders.ts'

describe('leasing', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = (...args: Parameters<typeof claimRequest>) =>
    claimWithChannel(store.db, claimRequest(...args))
  const lease = (...args: Parameters<typeof fence>) => leaseOne(store, fence(...args))
  const inUse = async () => (await countChannelUse(store.db, network, sponsor)).inUse

  it('finds none free until a settlement gives its channel back', async () => {
    await addChannels(store, 1)
    await claim('1')
    await claim('2')
    expect(await lease('2')).toEqual({ kind: 'none_free' })
    await releaseClaim(store.db, fence('1'))
    expect(await lease('2')).toEqual({
      kind: 'leased',
      channel: { account: 'GCHANNEL0', index: 0, sequence: 100n },
    })
  })

  it('leases only channels below an index when it is given one', async () => {
    await addChannels(store, 3)
    const channelsBelow = 1
    expect(await claim('1', { channelsBelow })).toMatchObject({ channel: { index: 0 } })
    expect(await claim('2', { channelsBelow })).toEqual({ kind: 'claimed', attempt: 1 })
    const pool = { network, sponsor, channelsBelow } as const
    expect(await leaseOne(store, fence('2'), pool)).toEqual({ kind: 'none_free' })
    expect(await lease('2')).toMatchObject({ kind: 'leased', channel: { index: 1 } })
  })

  it.each([
    ['another owner', { owner: 'two' }],
    ['an earlier attempt', { attempt: 0 }],
    ['a later attempt', { attempt: 2 }],
  ])('leases nothing for %s', async (_, overrides) => {
    await addChannels(store, 1)
    await store.db.updateTable('channels').set({ state: 'draining' }).execute()
    await claim('1')
    await store.db.updateTable('channels').set({ state: 'active' }).execute()
    expect(await lease('1', overrides)).toEqual({ kind: 'claim_lost' })
    expect(await inUse()).toBe(0)
  })

  it('leases nothing with a claim that waits in line, even while a channel is free', async () => {
    await addChannels(store, 1)
    expect(await claim('1', { waitsInLine: true })).toMatchObject({ channel: undefined })
    expect(await lease('1')).toMatchObject({ kind: 'leased' })
  })

  it('leases nothing for a claim that was released', async () => {
    await claim('1')
    await releaseClaim(store.db, fence('1'))
    await addChannels(store, 1)
    expect(await lease('1')).toEqual({ kind: 'claim_lost' })
  })

  it('leases a channel again after its lease expired, and refuses the record of the first claim', async () => {
    await addChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    expect(await claim('2')).toMatchObject({ channel: { account: 'GCHANNEL0' } })
    expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
    expect(await recordEnvelope(store.db, recording('2'))).toBe(true)
  })

  it('lets an expired lease be recorded while no other claim has the channel', async () => {
    await addChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    expect(await recordEnvelope(store.db, recording('1'))).toBe(true)
  })

  it('never frees the channel of a recorded settlement by time alone', async () => {
    await addChannels(store, 1)
    await claim('1', { leaseTtlMs: NO_TIME })
    await recordEnvelope(store.db, recording('1'))
    expect(await inUse()).toBe(1)
    expect(await claim('2')).toMatchObject({ channel: undefined })
  })

  it('keeps the channel of a recorded settlement even where its lease was taken away', async () => {
    await addChannels(store, 1)
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
    await addChannels(store, 1)
    await submit(store, '1')
    await finishSettlement(store.db, ending('1'))
    expect(await claim('2')).toMatchObject({ channel: { sequence: 101n } })
  })

  it('makes the sequence number unknown when the ledger may not have used it', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await finishSettlement(store.db, ending('1', { state: 'expired', sequence: 'unknown' }))
    expect(await claim('2')).toMatchObject({ channel: { sequence: undefined } })
  })

  it('uses no sequence number for a claim that was released', async () => {
    await addChannels(store, 1)
    await claim('1')
    await releaseClaim(store.db, fence('1'))
    expect(await claim('2')).toMatchObject({ channel: { sequence: 100n } })
  })

  it('lists channels in order, with their leases', async () => {
    await addChannels(store, 2)
    await submit(store, '1')
    expect(await listChannels(store.db, network, sponsor)).toEqual([
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
    expect(await listChannels(store.db, network, 'GOTHER')).toEqual([])
    expect(await listChannels(store.db, network)).toHaveLength(2)
  })

  it('puts a known channel again without touching its lease or its sequence number', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await addChannels(store, 2)
    const [first, second] = await listChannels(store.db, network, sponsor)
    expect(first).toMatchObject({ sequence: 101n, isLeased: true })
    expect(second).toMatchObject({ sequence: 100n, isLeased: false })
  })

  it('makes a retired channel active again when it is put', async () => {
    await addChannels(store, 1)
    await store.db.updateTable('channels').set({ state: 'retired' }).execute()
    await addChannels(store, 1)
    expect(await listChannels(store.db, network, sponsor)).toMatchObject([
      { state: 'active', sequence: 100n },
    ])
  })

  it.each([
    ['one that the network knows nothing of any more', 7n, undefined],
    ['one that was used since it was read', 100n, undefined],
    ['none, for it may have been used since it was read', undefined, undefined],
    ['the very one that is put', 101n, 101n],
  ])('puts a resting channel again that has %s', async (_, read, kept) => {
    await addChannels(store, 1)
    await submit(store, '1')
    const sequence = read === undefined ? 'unknown' : 'keep'
    await finishSettlement(store.db, ending('1', { sequence }))
    const entry = { network, sponsor, index: 0, account: 'GCHANNEL0' } as const
    await putChannels(store.db, [{ ...entry, sequence: read ?? 100n }])
    expect(await listChannels(store.db, network, sponsor)).toMatchObject([{ sequence: kept }])
  })
})
