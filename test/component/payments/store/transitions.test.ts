import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
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

describe('a settlement in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = (...args: Parameters<typeof claimRequest>) =>
    claimWithChannel(store.db, claimRequest(...args))
  const inUse = async () => (await countChannelUse(store.db, network, sponsor)).inUse

  it('records everything needed to send the envelope again', async () => {
    await addChannels(store, 1)
    await claim('1')
    expect(await recordEnvelope(store.db, recording('1'))).toBe(true)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      state: 'submitted',
      recorded: {
        channel: 'GCHANNEL0',
        envelopeXdr: 'envelope of 1',
        txHash: sha256('hash of 1'),
        innerHash: sha256('inner hash of 1'),
        maxTime: 1_900_000_000,
        recordedAt: expect.any(Date),
        recordedAtLedger: 4_294_967_295,
      },
      outcome: undefined,
    })
  })

  it.each([
    ['another owner', { owner: 'two' }],
    ['another attempt', { attempt: 2 }],
    ['a channel it has not leased', { channel: 'GCHANNEL1' }],
    ['an unclaimed authorization', { key: keyOf('unseen') }],
  ])('records nothing for %s', async (_, overrides) => {
    await addChannels(store, 2)
    await claim('1')
    expect(await recordEnvelope(store.db, recording('1', overrides))).toBe(false)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({ state: 'claimed' })
  })

  it('records once: a second envelope for the same claim is refused', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    const second = recording('1', { envelopeXdr: 'another', txHash: sha256('another') })
    expect(await recordEnvelope(store.db, second)).toBe(false)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      recorded: { envelopeXdr: 'envelope of 1' },
    })
  })

  it('records nothing for an owner whose claim was taken over', async () => {
    await addChannels(store, 1)
    await claim('1', { claimTtlMs: NO_TIME })
    await claim('1', { owner: 'two' })
    expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
    const successor = recording('1', { owner: 'two', attempt: 2 })
    expect(await recordEnvelope(store.db, successor)).toBe(true)
  })

  it('records nothing for an owner that took its own claim over', async () => {
    await addChannels(store, 1)
    await claim('1', { claimTtlMs: NO_TIME })
    await claim('1')
    expect(await recordEnvelope(store.db, recording('1', { attempt: 1 }))).toBe(false)
  })

  it('records nothing for a claim that was released or abandoned', async () => {
    await addChannels(store, 2)
    await claim('1')
    await releaseClaim(store.db, fence('1'))
    await claim('2', { claimTtlMs: NO_TIME })
    await abandonExpiredClaims(store.db)
    for (const nonce of ['1', '2']) {
      for (const channel of ['GCHANNEL0', 'GCHANNEL1']) {
        expect(await recordEnvelope(store.db, recording(nonce, { channel }))).toBe(false)
      }
    }
  })

  it.each(['succeeded', 'failed', 'expired'] as const)(
    'ends as %s, with its response, its cost and a free channel',
    async (state) => {
      await addChannels(store, 1)
      await submit(store, '1')
      const { settlement, isNew } = await finishSettlement(store.db, ending('1', { state }))
      expect(isNew).toBe(true)
      expect(settlement).toMatchObject({
        state,
        recorded: { envelopeXdr: 'envelope of 1' },
        outcome: {
          response: ending('1').response,
          finishedAt: expect.any(Date),
          ledger: 4_294_967_296,
          feeCharged: 33_029n,
        },
      })
      expect(await findSettlement(store.db, keyOf('1'))).toEqual(settlement)
      expect(await inUse()).toBe(0)
    },
  )

  it('may fail without ever being on a ledger', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    const { settlement } = await finishSettlement(
      store.db,
      ending('1', { state: 'failed', ledger: undefined, feeCharged: undefined }),
    )
    expect(settlement.outcome).toMatchObject({ ledger: undefined, feeCharged: undefined })
  })

  it('stores the response with its members in the order they were given', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    const response = { success: true, zebra: 1, a: [{ b: 'ü', a: null }], transaction: 'x' }
    await finishSettlement(store.db, ending('1', { response }))
    const found = await findSettlement(store.db, keyOf('1'))
    expect(JSON.stringify(found?.outcome?.response)).toBe(JSON.stringify(response))
  })

  it('keeps the first outcome when it is finished again', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    const first = await finishSettlement(store.db, ending('1'))
    const again = await finishSettlement(
      store.db,
      ending('1', { state: 'failed', response: { success: false } }),
    )
    expect(again).toEqual({ settlement: first.settlement, isNew: false })
  })

  it('leaves the channel of its successor alone when it is finished again', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await finishSettlement(store.db, ending('1'))
    await claim('2')
    await finishSettlement(store.db, ending('1', { sequence: 'unknown' }))
    expect(await inUse()).toBe(1)
    expect(await recordEnvelope(store.db, recording('2', { sequenceUsed: 102n }))).toBe(true)
  })

  it.each([
    ['an unclaimed authorization', async () => undefined, /it is not stored/],
    ['a claim without an envelope', async () => claim('1'), /it is claimed, attempt 1/],
    [
      'a released claim',
      async () => {
        await claim('1')
        await releaseClaim(store.db, fence('1'))
      },
      /it is released, attempt 1/,
    ],
  ])('refuses to finish %s', async (_, arrange, message) => {
    await arrange()
    await expect(finishSettlement(store.db, ending('1'))).rejects.toThrow(message)
  })

  it('refuses to finish another attempt than the recorded one', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await expect(finishSettlement(store.db, ending('1', { attempt: 2 }))).rejects.toThrow(
      /attempt 2: it is submitted, attempt 1/,
    )
  })

  it('releases a claim and its channel, once', async () => {
    await addChannels(store, 1)
    await claim('1')
    expect(await releaseClaim(store.db, fence('1'))).toBe(true)
    expect(await releaseClaim(store.db, fence('1'))).toBe(false)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      state: 'released',
      outcome: undefined,
    })
    expect(await inUse()).toBe(0)
  })

  it.each([
    ['another owner', { owner: 'two' }],
    ['another attempt', { attempt: 2 }],
  ])('does not give back the claim of %s', async (_, overrides) => {
    await addChannels(store, 1)
    await claim('1')
    expect(await releaseClaim(store.db, fence('1', overrides))).toBe(false)
    expect(await inUse()).toBe(1)
  })

  it('does not release a recorded settlement', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    expect(await releaseClaim(store.db, fence('1'))).toBe(false)
    expect(await inUse()).toBe(1)
  })

  it('lists what is unfinished on one network, oldest claim first', async () => {
    await addChannels(store, 4)
    await submit(store, 'recorded')
    await claim('claimed')
    await claim('given back')
    await releaseClaim(store.db, fence('given back'))
    await submit(store, 'ended').then(() => finishSettlement(store.db, ending('ended')))
    await claim('x', { key: { network: 'stellar:pubnet', payer: 'GPAYER', nonce: 'elsewhere' } })
    const unfinished = await listUnfinished(store.db, network)
    expect(unfinished.map(({ key, state }) => [key.nonce, state])).toEqual([
      ['recorded', 'submitted'],
      ['claimed', 'claimed'],
    ])
  })

  it('abandons expired claims and frees their channels, and nothing else', async () => {
    await addChannels(store, 3)
    await claim('dead', { claimTtlMs: NO_TIME })
    await claim('alive')
    await submit(store, 'recorded')
    await store.db
      .updateTable('settlements')
      .where('state', '=', 'submitted')
      .set({
        claim_expires_at: new Date(0),
      })
      .execute()
    expect(await abandonExpiredClaims(store.db)).toBe(1)
    expect(await abandonExpiredClaims(store.db)).toBe(0)
    const states = ['dead', 'alive', 'recorded'].map(
      async (nonce) => (await findSettlement(store.db, keyOf(nonce)))?.state,
    )
    expect(await Promise.all(states)).toEqual(['abandoned', 'claimed', 'submitted'])
    expect(await inUse()).toBe(2)
  })
})
