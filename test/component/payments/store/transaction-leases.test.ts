import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import {
  leaseForTransaction,
  reserveForTransaction,
  returnSource,
} from '../../../../src/payments/store/channels/lease-for-transaction.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  fence,
  leaseOne,
  NO_TIME,
  network,
  recording,
  sponsor,
  submit,
} from './builders.ts'

describe('a lease for a transaction', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const lease = (owner = 'provisioner', leaseTtlMs = 120_000) =>
    leaseForTransaction(store.db, { network, sponsor, owner, leaseTtlMs })
  const reserve = (reserveMs = 60_000) =>
    reserveForTransaction(store.db, { network, sponsor, reserveMs })
  const giveBack = (account: string, sequence: bigint | undefined, owner = 'provisioner') =>
    returnSource(store.db, { network, account, owner, sequence })
  const claim = async (nonce: string) => {
    const outcome = await claimWithChannel(store.db, claimRequest(nonce))
    return outcome.kind === 'claimed' ? outcome.channel : outcome
  }
  const nextFor = (nonce: string) => leaseOne(store, fence(nonce))
  const rows = () => listChannels(store.db, network, sponsor)

  it('takes a free channel from settlements until it is given back', async () => {
    await addChannels(store, 1)
    expect(await lease()).toEqual({ account: 'GCHANNEL0', index: 0, sequence: 100n })
    expect(await claim('1')).toBeUndefined()
    expect(await lease('another')).toBeUndefined()
    await giveBack('GCHANNEL0', 101n)
    expect(await nextFor('1')).toMatchObject({ channel: { account: 'GCHANNEL0', sequence: 101n } })
  })

  it('ends by itself when its owner dies; then the sequence number is read from the ledger', async () => {
    await addChannels(store, 1)
    await lease('dead', NO_TIME)
    expect(await claim('1')).toEqual({ account: 'GCHANNEL0', index: 0, sequence: undefined })
  })

  it('leaves the channel to its next user when its owner comes back too late', async () => {
    await addChannels(store, 1)
    await lease('late', NO_TIME)
    await claim('1')
    await giveBack('GCHANNEL0', 101n, 'late')
    expect(await rows()).toMatchObject([{ isLeased: true, sequence: undefined }])
  })

  it('takes neither a leased channel nor one of a recorded settlement', async () => {
    await addChannels(store, 2)
    await claim('1')
    await submit(store, '2')
    expect(await lease()).toBeUndefined()
  })

  it.each(['draining', 'retired'] as const)('takes no %s channel', async (state) => {
    await addChannels(store, 1)
    await store.db.updateTable('channels').set({ state }).execute()
    expect(await lease()).toBeUndefined()
    expect(await reserve()).toBe(false)
  })

  it('lets a settlement that has lost its lease to it record nothing', async () => {
    await addChannels(store, 1)
    await claimWithChannel(store.db, claimRequest('1', { leaseTtlMs: NO_TIME }))
    expect(await lease()).toMatchObject({ account: 'GCHANNEL0' })
    expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
  })

  it('gets the channel it reserved before the settlements that wait', async () => {
    await addChannels(store, 2)
    await claim('1')
    await claim('2')
    await claim('3')
    expect(await reserve()).toBe(true)
    await releaseClaim(store.db, fence('2'))
    expect(await nextFor('3')).toEqual({ kind: 'none_free' })
    expect(await lease()).toMatchObject({ account: 'GCHANNEL1' })
    await giveBack('GCHANNEL1', 101n)
    expect(await nextFor('3')).toMatchObject({ channel: { account: 'GCHANNEL1' } })
  })

  it('reserves one channel at a time, and not for ever', async () => {
    await addChannels(store, 2)
    await claim('1')
    await claim('2')
    await claim('3')
    await reserve(NO_TIME)
    expect([await reserve(), await reserve()]).toEqual([true, true])
    await releaseClaim(store.db, fence('1'))
    expect(await nextFor('3')).toMatchObject({ channel: { account: 'GCHANNEL0' } })
  })
})
