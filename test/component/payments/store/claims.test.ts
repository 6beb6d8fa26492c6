import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  fence,
  keyOf,
  NO_TIME,
  network,
  recording,
  sha256,
  sponsor,
  submit,
} from './builders.ts'

describe('claiming', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = (...args: Parameters<typeof claimRequest>) =>
    claimWithChannel(store.db, claimRequest(...args))

  it('claims an authorization and leases a channel at its sequence number', async () => {
    await addChannels(store, 1)
    expect(await claim('1')).toEqual({
      kind: 'claimed',
      attempt: 1,
      channel: { account: 'GCHANNEL0', index: 0, sequence: 100n },
    })
    expect(await countChannelUse(store.db, network, sponsor)).toEqual({ active: 1, inUse: 1 })
  })

  it('keeps every fact of the payment, up to the largest amount', async () => {
    const facts = {
      scheme: 'exact',
      asset: 'CASSET',
      payTo: 'MSELLER',
      amount: 2n ** 127n - 1n,
      resourceUrl: 'https://api.example/weather',
    }
    await claim('1', { facts, fingerprint: sha256('request') })
    const settlement = await findSettlement(store.db, keyOf('1'))
    expect(settlement).toMatchObject({
      key: keyOf('1'),
      attempt: 1,
      state: 'claimed',
      fingerprint: sha256('request'),
      facts,
      sponsor,
      owner: 'one',
      recorded: undefined,
      outcome: undefined,
    })
    expect(settlement!.claimExpiresAt.getTime() - settlement!.claimedAt.getTime()).toBeCloseTo(
      30_000,
      -2,
    )
  })

  it('finds nothing for an authorization that was never claimed', async () => {
    expect(await findSettlement(store.db, keyOf('unseen'))).toBeUndefined()
  })

  it('claims without a channel when none is free', async () => {
    expect(await claim('1')).toEqual({ kind: 'claimed', attempt: 1, channel: undefined })
  })

  it.each([
    ['another network', { network: 'stellar:pubnet', payer: 'GPAYER', nonce: '1' }],
    ['another payer', { network, payer: 'GOTHER', nonce: '1' }],
    ['another nonce', { network, payer: 'GPAYER', nonce: '-1' }],
  ] as const)('distinguishes the same authorization of %s', async (_, key) => {
    await claim('1')
    expect(await claim('ignored', { key })).toMatchObject({ kind: 'claimed', attempt: 1 })
  })

  it('returns the first claim to a second one, and leases nothing for it', async () => {
    await addChannels(store, 2)
    await claim('1')
    expect(await claim('1', { owner: 'two', fingerprint: sha256('other') })).toMatchObject({
      kind: 'existing',
      settlement: { state: 'claimed', owner: 'one', attempt: 1, fingerprint: sha256('1') },
    })
    expect(await countChannelUse(store.db, network, sponsor)).toEqual({ active: 2, inUse: 1 })
  })

  it('returns a recorded settlement, also after its claim has expired', async () => {
    await addChannels(store, 1)
    await claim('1', { claimTtlMs: NO_TIME, leaseTtlMs: NO_TIME })
    await recordEnvelope(store.db, recording('1'))
    expect(await claim('1', { owner: 'two' })).toMatchObject({
      kind: 'existing',
      settlement: { state: 'submitted', owner: 'one' },
    })
  })

  it('returns the outcome of a finished settlement', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await finishSettlement(store.db, ending('1'))
    expect(await claim('1')).toMatchObject({
      kind: 'existing',
      settlement: { state: 'succeeded', outcome: { response: { success: true } } },
    })
  })

  it('takes over a claim whose time is up, with its channel, under the next attempt', async () => {
    await addChannels(store, 1)
    await claim('1', { claimTtlMs: NO_TIME })
    const taken = await claim('1', { owner: 'two', fingerprint: sha256('fresh') })
    expect(taken).toMatchObject({ kind: 'claimed', attempt: 2, channel: { account: 'GCHANNEL0' } })
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      owner: 'two',
      attempt: 2,
      fingerprint: sha256('fresh'),
    })
  })

  it('reopens a released claim under the next attempt', async () => {
    await addChannels(store, 1)
    await claim('1')
    await releaseClaim(store.db, fence('1'))
    expect(await claim('1')).toMatchObject({ attempt: 2, channel: { account: 'GCHANNEL0' } })
  })

  it('reopens an abandoned claim under the next attempt', async () => {
    await addChannels(store, 1)
    await claim('1', { claimTtlMs: NO_TIME })
    await abandonExpiredClaims(store.db)
    expect(await claim('1')).toMatchObject({ attempt: 2, channel: { account: 'GCHANNEL0' } })
  })

  it('leases the least recently used channel, unused ones first', async () => {
    await addChannels(store, 3)
    const first = channelOf(await claim('1'))
    const second = channelOf(await claim('2'))
    await releaseClaim(store.db, fence('2'))
    await releaseClaim(store.db, fence('1'))
    const order = [await claim('3'), await claim('4'), await claim('5')].map(channelOf)
    expect(order.map(({ account }) => account)).toEqual([
      'GCHANNEL2',
      second.account,
      first.account,
    ])
  })

  it('leaves the channels of another sponsor and of another network alone', async () => {
    await putChannels(store.db, [
      { network, sponsor: 'GOTHER', index: 0, account: 'GTHEIRS', sequence: 1n },
      { network: 'stellar:pubnet', sponsor, index: 0, account: 'GPUBNET', sequence: 1n },
    ])
    expect(await claim('1')).toMatchObject({ channel: undefined })
  })

  it.each(['draining', 'retired'] as const)('leaves a %s channel alone', async (state) => {
    await addChannels(store, 1)
    await store.db.updateTable('channels').set({ state }).execute()
    expect(await claim('1')).toMatchObject({ channel: undefined })
  })

  it('leases a channel of unknown sequence number as such', async () => {
    await putChannels(store.db, [{ network, sponsor, index: 0, account: 'GCHANNEL0' }])
    expect(channelOf(await claim('1'))).toEqual({
      account: 'GCHANNEL0',
      index: 0,
      sequence: undefined,
    })
  })
})
