import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import {
  flagUnresolvable,
  renewFollowing,
  takeDueSettlements,
} from '../../../../src/payments/store/settlements/due.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  keyOf,
  NO_TIME,
  network,
  recording,
} from './builders.ts'

describe('settlements that no replica follows', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  beforeEach(async () => {
    await emptyTables(store)
    await addChannels(store, 4)
  })
  afterAll(() => store.close())

  const recordOne = async (nonce: string, dueInMs: number) => {
    const claim = await claimWithChannel(store.db, claimRequest(nonce))
    const channel = claim.kind === 'claimed' ? claim.channel?.account : undefined
    if (channel === undefined) throw new Error('no channel')
    await recordEnvelope(store.db, recording(nonce, { channel, dueInMs }))
  }
  const take = async (limit = 10) =>
    (await takeDueSettlements(store.db, { network, limit, forMs: 60_000 })).map(
      ({ key }) => key.nonce,
    )

  it('are taken once, the most overdue first, and only so many', async () => {
    for (const nonce of ['1', '2', '3']) await recordOne(nonce, NO_TIME)
    expect(await take(2)).toHaveLength(2)
    expect(await take(2)).toEqual(['3'])
    expect(await take()).toEqual([])
  })

  it('are not taken while their follower renews', async () => {
    await recordOne('1', NO_TIME)
    const followed = await renewFollowing(store.db, keyOf('1'), 60_000)
    expect(followed?.state).toBe('submitted')
    expect(await take()).toEqual([])
  })

  it('are not taken before their time', async () => {
    await recordOne('1', 60_000)
    expect(await take()).toEqual([])
  })

  it('are read as they ended when another replica has ended them', async () => {
    await recordOne('1', NO_TIME)
    await finishSettlement(store.db, ending('1'))
    const found = await renewFollowing(store.db, keyOf('1'), 60_000)
    expect(found?.state).toBe('succeeded')
    expect(await take()).toEqual([])
  })

  it('are taken again, at intervals, once they are unresolvable, and keep their channel', async () => {
    await recordOne('1', NO_TIME)
    const because = 'the network forgot the ledgers'
    await flagUnresolvable(store.db, keyOf('1'), because, 60_000)
    expect(await take()).toEqual([])
    await flagUnresolvable(store.db, keyOf('1'), because, NO_TIME)
    expect(await take()).toEqual(['1'])
    expect((await countChannelUse(store.db, network, 'GSPONSOR')).inUse).toBe(1)
  })

  it('do not include claims, which have no envelope', async () => {
    await claimWithChannel(store.db, claimRequest('1', { claimTtlMs: NO_TIME }))
    expect(await take()).toEqual([])
  })
})
