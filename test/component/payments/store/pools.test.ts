import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { leaseForTransaction } from '../../../../src/payments/store/channels/lease-for-transaction.ts'
import { markRetired } from '../../../../src/payments/store/channels/retire.ts'
import {
  Fenced,
  type FencedWrite,
  fencedWrites,
  raiseEpoch,
} from '../../../../src/payments/store/pools/fence.ts'
import {
  claimSponsor,
  OWNER_ALIVE_SECONDS,
  releaseSponsor,
  sponsorsOwnedBy,
} from '../../../../src/payments/store/pools/ownership.ts'
import {
  addDrainingChannels,
  drainPoolChannels,
  listPoolChannels,
  quarantineChannel,
} from '../../../../src/payments/store/pools/pool-channels.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { databaseNow } from '../../../../src/platform/database/sql-time.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, ending, network, recording, sponsor } from './builders.ts'

const pool = { network, sponsor } as const
const fence = { name: 'x402/operator', epoch: 3n }

describe('channels that an operator manages', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())
  beforeEach(() => raiseEpoch(store.db, fence))
  afterEach(async () => {
    await emptyTables(store)
    await store.db.deleteFrom('pools').execute()
    await store.db.deleteFrom('operator_epochs').execute()
  })

  const channel = async (index: number) =>
    (await listPoolChannels(store.db, pool)).find((each) => each.index === index)
  const write: FencedWrite = (query, ...args) => fencedWrites(store.db, fence)(query, ...args)

  test.each([
    { what: 'an index that no pool has', indices: [0, 2_000] },
    { what: 'more rows than a pool has', indices: Array.from({ length: 2_500 }, (_, at) => at) },
  ])('are not read while the store has $what', async ({ indices }) => {
    await addDrainingChannels(
      store.db,
      pool,
      indices.map((index) => ({ index, account: `GCHANNEL${index}` })),
    )
    await expect(listPoolChannels(store.db, pool)).rejects.toThrow(
      `has the index 2000 for sponsor ${sponsor}`,
    )
  })

  describe('the epoch', () => {
    test('lets the leader write, also after it raised the same epoch again', async () => {
      await raiseEpoch(store.db, fence)
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ account: 'GCHANNEL0', state: 'draining' })
    })

    test('refuses every write of a former leader, and changes nothing', async () => {
      await addChannels(store, 1)
      await raiseEpoch(store.db, { ...fence, epoch: 4n })
      const owner = { ...pool, uid: 'one', name: 'ns/one' }
      const attempts = [
        () => write(claimSponsor, owner, fence.name),
        () => write(releaseSponsor, owner),
        () => write(addDrainingChannels, pool, [{ index: 1, account: 'GCHANNEL1' }]),
        () => write(putChannels, [{ ...pool, index: 1, account: 'GCHANNEL1' }]),
        () => write(drainPoolChannels, pool, [0]),
        () => write(quarantineChannel, pool, { index: 0, because: 'no use' }),
        () => write(markRetired, network, sponsor, ['GCHANNEL0']),
      ]
      for (const attempt of attempts) await expect(attempt()).rejects.toThrow(Fenced)
      expect(await listPoolChannels(store.db, pool)).toMatchObject([{ index: 0, state: 'active' }])
      expect(await sponsorsOwnedBy(store.db, 'one')).toEqual([])
    })

    test('never falls', async () => {
      await expect(raiseEpoch(store.db, { ...fence, epoch: 2n })).rejects.toThrow(Fenced)
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
    })

    test('of another election does not matter', async () => {
      await raiseEpoch(store.db, { name: 'other/operator', epoch: 9n })
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ state: 'draining', account: 'GCHANNEL0' })
    })

    test('refuses a leader that never raised it', async () => {
      const stranger = fencedWrites(store.db, { name: 'stranger', epoch: 1n })
      await expect(stranger(drainPoolChannels, pool, [0])).rejects.toThrow(Fenced)
    })
  })

  describe('a sponsor', () => {
    const one = { ...pool, uid: 'one', name: 'ns/one' }
    const two = { ...pool, uid: 'two', name: 'ns/two' }

    test('belongs to the first pool that claims it', async () => {
      expect(await write(claimSponsor, one, fence.name)).toMatchObject(one)
      expect(await write(claimSponsor, two, fence.name)).toMatchObject(one)
      expect(await sponsorsOwnedBy(store.db, 'one')).toMatchObject([one])
    })

    test('goes to a pool that was created again under the name of its owner', async () => {
      await write(claimSponsor, one, fence.name)
      const heir = { ...one, uid: 'heir' }
      expect(await write(claimSponsor, heir, fence.name)).toMatchObject(heir)
      expect(await sponsorsOwnedBy(store.db, 'one')).toEqual([])
    })

    test('stays with a pool of its name in another cluster, while that one is alive', async () => {
      const other = { name: 'other-cluster/operator', epoch: 1n }
      await raiseEpoch(store.db, other)
      await write(claimSponsor, one, fence.name)
      const theirs = { ...one, uid: 'theirs' }
      const claim = () => fencedWrites(store.db, other)(claimSponsor, theirs, other.name)
      expect(await claim()).toMatchObject({ uid: 'one' })

      const age = (seconds: number) =>
        sql`update pools set claimed_at = clock_timestamp() - ${seconds} * interval '1 second'`.execute(
          store.db,
        )
      await age(OWNER_ALIVE_SECONDS - 60)
      expect(await claim()).toMatchObject({ uid: 'one' })
      expect(await write(claimSponsor, one, fence.name)).toMatchObject({ uid: 'one' })
      expect((await claim()).idleSeconds).toBeLessThan(60)
      await age(OWNER_ALIVE_SECONDS + 1)
      expect(await claim()).toMatchObject({ uid: 'theirs' })
    })

    test('is free again when its owner gives it up, and only then', async () => {
      await write(claimSponsor, one, fence.name)
      await write(releaseSponsor, two)
      expect(await write(claimSponsor, two, fence.name)).toMatchObject(one)
      await write(releaseSponsor, one)
      expect(await write(claimSponsor, two, fence.name)).toMatchObject(two)
    })
  })

  describe('a channel', () => {
    const lease = async (nonce: string) => {
      const claim = await claimWithChannel(store.db, claimRequest(nonce))
      return claim.kind === 'claimed' ? claim.channel : undefined
    }

    test('that is announced is known, and not leased until it is put', async () => {
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await lease('early')).toBeUndefined()
      await write(putChannels, [{ ...pool, index: 0, account: 'GCHANNEL0', sequence: 100n }])
      expect(await lease('late')).toMatchObject({ account: 'GCHANNEL0' })
    })

    test('that is in use stays as it is when it is announced again', async () => {
      await addChannels(store, 1)
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ state: 'active', sequence: 100n })
    })

    test('that was retired is draining when it is announced again', async () => {
      await addChannels(store, 1)
      await write(markRetired, network, sponsor, ['GCHANNEL0'])
      expect(await channel(0)).toMatchObject({ state: 'retired', sequence: undefined })
      await write(addDrainingChannels, pool, [{ index: 0, account: 'GCHANNEL0' }])
      expect(await channel(0)).toMatchObject({ state: 'draining' })
    })

    test('drains while its settlement continues, and counts as leased until that has ended', async () => {
      await addChannels(store, 1)
      await lease('nonce')
      await write(drainPoolChannels, pool, [0])
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: true })
      await recordEnvelope(store.db, recording('nonce'))
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: true })
      await finishSettlement(store.db, ending('nonce'))
      expect(await channel(0)).toMatchObject({ state: 'draining', isLeased: false })
      expect(await lease('next')).toBeUndefined()
    })

    test('leased for a transaction says when that ends by itself; one of a settlement does not', async () => {
      await addChannels(store, 2)
      await lease('nonce')
      const before = Date.now()
      const leasing = { ...pool, owner: 'source/1', leaseTtlMs: 3_600_000 }
      await leaseForTransaction(store.db, leasing)
      const [settling, sending] = await listPoolChannels(store.db, pool)
      expect(settling).toMatchObject({ isLeased: true, transactionUntil: undefined })
      expect(sending?.isLeased).toBe(true)
      expect(sending?.transactionUntil).toBeGreaterThan(before + 1_800_000)
      await store.db.updateTable('channels').set({ lease_expires_at: databaseNow }).execute()
      const ended = { isLeased: false, transactionUntil: undefined }
      expect(await listPoolChannels(store.db, pool)).toMatchObject([ended, ended])
    })

    test('in quarantine is not leased, and has a reason', async () => {
      await addChannels(store, 2)
      await write(quarantineChannel, pool, { index: 0, because: 'its number is used up' })
      expect(await channel(0)).toMatchObject({
        state: 'quarantined',
        quarantinedBecause: 'its number is used up',
      })
      expect(await lease('one')).toMatchObject({ account: 'GCHANNEL1' })
    })

    test('in quarantine may be retired, and put', async () => {
      await addChannels(store, 2)
      for (const index of [0, 1]) await write(quarantineChannel, pool, { index, because: 'no use' })
      await write(markRetired, network, sponsor, ['GCHANNEL0'])
      await addChannels(store, 2)
      expect(await listPoolChannels(store.db, pool)).toMatchObject([
        { state: 'active', quarantinedBecause: undefined },
        { state: 'active', quarantinedBecause: undefined },
      ])
    })

    test('counts the settlements in a row that left its sequence number unused', async () => {
      await addChannels(store, 1)
      const settle = async (nonce: string, sequence: 'keep' | 'unknown') => {
        await lease(nonce)
        await recordEnvelope(store.db, recording(nonce))
        await finishSettlement(store.db, ending(nonce, { sequence }))
        return (await channel(0))?.misses
      }
      expect(await settle('a', 'unknown')).toBe(1)
      expect(await settle('b', 'unknown')).toBe(2)
      expect(await settle('c', 'keep')).toBe(0)
    })

    test('names the unresolvable settlement', async () => {
      await addChannels(store, 1)
      await lease('nonce')
      await recordEnvelope(store.db, recording('nonce'))
      await flagUnresolvable(store.db, recording('nonce').key, 'the ledgers are gone', 60_000)
      const settlement = await findSettlement(store.db, recording('nonce').key)
      expect((await channel(0))?.heldBy).toBe(settlement?.id)
    })
  })
})
