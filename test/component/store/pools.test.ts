import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/store/open.ts'
import { Fenced } from '../../../src/store/pools/epoch.ts'
import type { PoolWrites } from '../../../src/store/pools.ts'
import { claimRequest, ending, network, putChannels, recording, sponsor } from './builders.ts'
import { emptyTables, openEmptyStore, storeKinds } from './open-stores.ts'

const pool = { network, sponsor } as const
const fence = { name: 'x402/operator', epoch: 3n }

describe.each(storeKinds)('channels that an operator manages, store %s', (kind) => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore(kind)
  })
  afterAll(() => store.close())
  beforeEach(() => store.pools.raiseEpoch(fence))
  afterEach(async () => {
    await emptyTables(store)
    await store.db.deleteFrom('pools').execute()
    await store.db.deleteFrom('operator_epochs').execute()
  })

  const channel = async (index: number) =>
    (await store.pools.channels(pool)).find((each) => each.index === index)
  const writes = () => store.pools.under(fence)

  describe('the epoch', () => {
    test('lets the leader write, also after it was raised to the same again', async () => {
      await store.pools.raiseEpoch(fence)
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ account: 'GCHANNEL0', state: 'draining' })
    })

    test('refuses every write of a leader whom another one followed, and changes nothing', async () => {
      await putChannels(store, 1)
      await store.pools.raiseEpoch({ ...fence, epoch: 4n })
      const owner = { ...pool, uid: 'one', name: 'ns/one' }
      const attempts: Record<keyof PoolWrites, () => Promise<unknown>> = {
        claimSponsor: () => writes().claimSponsor(owner),
        releaseSponsor: () => writes().releaseSponsor(owner),
        announce: () => writes().announce(pool, [{ index: 1, account: 'GCHANNEL1' }]),
        put: () => writes().put([{ ...pool, index: 1, account: 'GCHANNEL1' }]),
        drain: () => writes().drain(pool, [0]),
        quarantine: () => writes().quarantine(pool, { index: 0, because: 'no use' }),
        retire: () => writes().retire(pool, ['GCHANNEL0']),
      }
      expect(Object.keys(attempts).sort()).toEqual(Object.keys(writes()).sort())
      for (const attempt of Object.values(attempts)) await expect(attempt()).rejects.toThrow(Fenced)
      expect(await store.pools.channels(pool)).toMatchObject([{ index: 0, state: 'active' }])
      expect(await store.pools.ownedBy('one')).toEqual([])
    })

    test('never falls', async () => {
      await expect(store.pools.raiseEpoch({ ...fence, epoch: 2n })).rejects.toThrow(Fenced)
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
    })

    test('of another election is none of its business', async () => {
      await store.pools.raiseEpoch({ name: 'other/operator', epoch: 9n })
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toBeDefined()
    })

    test('lets nobody write who never raised it', async () => {
      const stranger = store.pools.under({ name: 'stranger', epoch: 1n })
      await expect(stranger.drain(pool, [0])).rejects.toThrow(Fenced)
    })
  })

  describe('a sponsor', () => {
    const one = { ...pool, uid: 'one', name: 'ns/one' }
    const two = { ...pool, uid: 'two', name: 'ns/two' }

    test('belongs to the first pool that claims it', async () => {
      expect(await writes().claimSponsor(one)).toEqual(one)
      expect(await writes().claimSponsor(two)).toEqual(one)
      expect(await store.pools.ownedBy('one')).toEqual([one])
    })

    test('goes to a pool that was made again under the name of its owner', async () => {
      await writes().claimSponsor(one)
      const heir = { ...one, uid: 'heir' }
      expect(await writes().claimSponsor(heir)).toEqual(heir)
      expect(await store.pools.ownedBy('one')).toEqual([])
    })

    test('is free again when its owner gives it up, and only then', async () => {
      await writes().claimSponsor(one)
      await writes().releaseSponsor(two)
      expect(await writes().claimSponsor(two)).toEqual(one)
      await writes().releaseSponsor(one)
      expect(await writes().claimSponsor(two)).toEqual(two)
    })
  })

  describe('a channel', () => {
    const lease = async (nonce: string) => {
      const claim = await store.settlements.claimWithChannel(claimRequest(nonce))
      return claim.kind === 'claimed' ? claim.channel : undefined
    }

    test('that is announced is known, and nobody leases it until it is put', async () => {
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await lease('early')).toBeUndefined()
      await writes().put([{ ...pool, index: 0, account: 'GCHANNEL0', sequence: 100n }])
      expect(await lease('late')).toMatchObject({ account: 'GCHANNEL0' })
    })

    test('that is in use stays as it is when it is announced again', async () => {
      await putChannels(store, 1)
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ state: 'active', sequence: 100n })
    })

    test('that was retired is draining when it is announced again', async () => {
      await putChannels(store, 1)
      await writes().retire(pool, ['GCHANNEL0'])
      expect(await channel(0)).toMatchObject({ state: 'retired', sequence: undefined })
      await writes().announce(pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ state: 'draining' })
    })

    test('drains while its settlement goes on, and says that it is used until that ended', async () => {
      await putChannels(store, 1)
      await lease('nonce')
      await writes().drain(pool, [0])
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: true })
      await store.settlements.record(recording('nonce'))
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: true })
      await store.settlements.finish(ending('nonce'))
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: false })
      expect(await lease('next')).toBeUndefined()
    })

    test('in quarantine is leased by nobody, and says why', async () => {
      await putChannels(store, 2)
      await writes().quarantine(pool, { index: 0, because: 'its number is used up' })
      expect(await channel(0)).toMatchObject({
        state: 'quarantined',
        quarantinedBecause: 'its number is used up',
      })
      expect(await lease('one')).toMatchObject({ account: 'GCHANNEL1' })
    })

    test('in quarantine may be retired, and put', async () => {
      await putChannels(store, 2)
      for (const index of [0, 1]) await writes().quarantine(pool, { index, because: 'no use' })
      await writes().retire(pool, ['GCHANNEL0'])
      await putChannels(store, 2)
      expect(await store.pools.channels(pool)).toMatchObject([
        { state: 'active', quarantinedBecause: undefined },
        { state: 'active', quarantinedBecause: undefined },
      ])
    })

    test('counts the settlements in a row that left its sequence number unused', async () => {
      await putChannels(store, 1)
      const settle = async (nonce: string, sequence: 'keep' | 'unknown') => {
        await lease(nonce)
        await store.settlements.record(recording(nonce))
        await store.settlements.finish(ending(nonce, { sequence }))
        return (await channel(0))?.misses
      }
      expect(await settle('a', 'unknown')).toBe(1)
      expect(await settle('b', 'unknown')).toBe(2)
      expect(await settle('c', 'keep')).toBe(0)
    })

    test('names the settlement that only an operator can end', async () => {
      await putChannels(store, 1)
      await lease('nonce')
      await store.settlements.record(recording('nonce'))
      await store.settlements.flagUnresolvable(recording('nonce').key, 'nobody can tell')
      const settlement = await store.settlements.find(recording('nonce').key)
      expect((await channel(0))?.heldBy).toBe(settlement?.id)
    })
  })
})
