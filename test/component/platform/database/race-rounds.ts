import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { renewFollowing } from '../../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { databaseRoutes, missingFor, reachedBy } from '../../../support/database-routes.ts'
import { untilLockWaits } from '../../../support/lock-waits.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  leaseOne,
  NO_TIME,
  network,
  recording,
  sponsor,
  submit,
} from '../../payments/store/builders.ts'
import { emptyTables } from './open-stores.ts'

/** A suite in which two replicas race this many times for each result. Two pools stand for two replicas: PGlite, one connection in one process, cannot race. */
export function raceReplicas(rounds: number): void {
  describe.each(databaseRoutes)('two replicas over one Postgres, reached %s', (route) => {
    let database: TestDatabase
    let stores: readonly [Store, Store]
    beforeAll(async () => {
      database = await reachedBy(route, freshDatabase())
      const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
      stores = [await open(), await open()]
    })
    beforeEach(({ skip }) => {
      const missing = missingFor(route)
      if (missing !== undefined) skip(missing)
    })
    afterEach(() => emptyTables(stores[0]))
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await database[Symbol.asyncDispose]()
    })

    /** Runs `count` competitors at once, spread over both replicas. */
    const race = <T>(count: number, work: (store: Store, index: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, index) => work(stores[index % 2]!, index)))

    it('claim one authorization once, and lease one channel for it', async () => {
      await addChannels(stores[0], 8)
      for (let round = 0; round < rounds; round++) {
        const nonce = `${round}`
        const outcomes = await race(16, (store, index) =>
          claimWithChannel(store.db, claimRequest(nonce, { owner: `${index}` })),
        )
        expect(outcomes.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
        const existing = outcomes.filter((outcome) => outcome.kind === 'existing')
        expect(new Set(existing.map(({ settlement }) => settlement.owner)).size).toBe(1)
        const owner = existing[0]!.settlement.owner
        expect(await releaseClaim(stores[0].db, fence(nonce, { owner }))).toBe(true)
        expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({ inUse: 0 })
      }
    })

    it('take an expired claim over once', async () => {
      await addChannels(stores[0], 4)
      for (let round = 0; round < rounds; round++) {
        const nonce = `${round}`
        await claimWithChannel(stores[0].db, claimRequest(nonce, { claimTtlMs: NO_TIME }))
        const outcomes = await race(8, (store, index) =>
          claimWithChannel(store.db, claimRequest(nonce, { owner: `${index}` })),
        )
        expect(outcomes.filter(({ kind }) => kind === 'claimed')).toMatchObject([{ attempt: 2 }])
        const { owner } = (await findSettlement(stores[0].db, keyOf(nonce)))!
        await releaseClaim(stores[0].db, fence(nonce, { owner, attempt: 2 }))
      }
    })

    it('never lease one channel twice, and leave none idle', async () => {
      await addChannels(stores[0], 5)
      for (let round = 0; round < rounds; round++) {
        const outcomes = await race(12, (store, index) =>
          claimWithChannel(store.db, claimRequest(`${round}/${index}`)),
        )
        const leased = outcomes.flatMap((outcome) =>
          outcome.kind === 'claimed' && outcome.channel ? [outcome.channel.account] : [],
        )
        expect(new Set(leased).size).toBe(leased.length)
        expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({
          inUse: leased.length,
        })
        // Claims that skipped locked rows get the remaining channels on the next try.
        await race(12, (store, index) => leaseOne(store, fence(`${round}/${index}`)))
        expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({ inUse: 5 })
        await race(12, (store, index) => releaseClaim(store.db, fence(`${round}/${index}`)))
        expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({ inUse: 0 })
      }
    })

    it('never record two settlements on one channel, however short the leases', async () => {
      await addChannels(stores[0], 2)
      for (let round = 0; round < rounds; round++) {
        const recorded = await race(10, async (store, index) => {
          const nonce = `${round}/${index}`
          const request = claimRequest(nonce, { leaseTtlMs: NO_TIME })
          const outcome = await claimWithChannel(store.db, request)
          if (outcome.kind !== 'claimed' || !outcome.channel) return undefined
          const channel = outcome.channel.account
          const isRecorded = await recordEnvelope(store.db, recording(nonce, { channel }))
          return isRecorded ? { nonce, channel } : undefined
        })
        const held = recorded.filter((settlement) => settlement !== undefined)
        expect(held.length).toBeGreaterThan(0)
        expect(new Set(held.map(({ channel }) => channel)).size).toBe(held.length)
        await Promise.all(
          held.map(({ nonce }) =>
            finishSettlement(stores[1].db, ending(nonce, { state: 'failed' })),
          ),
        )
      }
    })

    it('record nothing on a channel that is being leased to another claim', async () => {
      const [first, second] = stores
      await addChannels(first, 1)
      await claimWithChannel(first.db, claimRequest('1', { leaseTtlMs: NO_TIME }))
      await claimWithChannel(second.db, claimRequest('2', { sponsor: 'GOTHER' }))
      const recorded = await second.db.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('channels')
          .set((eb) => ({
            lease_settlement: eb.selectFrom('settlements').select('id').where('nonce', '=', '2'),
          }))
          .execute()
        const waiting = recordEnvelope(first.db, recording('1'))
        await untilLockWaits(transaction, 1)
        return { waiting }
      })
      expect(await recorded.waiting).toBe(false)
      expect(await findSettlement(first.db, keyOf('1'))).toMatchObject({ state: 'claimed' })
    })

    it('let either the record or the take-over happen, never both', async () => {
      await addChannels(stores[0], 3)
      for (let round = 0; round < rounds; round++) {
        const nonce = `${round}`
        const first = await claimWithChannel(
          stores[0].db,
          claimRequest(nonce, { claimTtlMs: NO_TIME }),
        )
        const channel = first.kind === 'claimed' ? first.channel!.account : ''
        const [isRecorded, second] = await Promise.all([
          recordEnvelope(stores[0].db, recording(nonce, { channel })),
          claimWithChannel(stores[1].db, claimRequest(nonce, { owner: 'two' })),
        ])
        expect(second.kind).toBe(isRecorded ? 'existing' : 'claimed')
        const { attempt, owner, state } = (await findSettlement(stores[0].db, keyOf(nonce)))!
        expect({ attempt, state }).toEqual(
          isRecorded ? { attempt: 1, state: 'submitted' } : { attempt: 2, state: 'claimed' },
        )
        if (isRecorded) await finishSettlement(stores[0].db, ending(nonce, { state: 'failed' }))
        else await releaseClaim(stores[1].db, fence(nonce, { attempt, owner }))
      }
      expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({ inUse: 0 })
    })

    it('let either the record or the abandoning of expired claims happen, without a deadlock', async () => {
      await addChannels(stores[0], 4)
      for (let round = 0; round < rounds; round++) {
        const nonces = [0, 1, 2, 3].map((index) => `${round}/${index}`)
        const channels = await race(4, async (store, index) => {
          const request = claimRequest(nonces[index]!, { claimTtlMs: NO_TIME })
          const outcome = await claimWithChannel(store.db, request)
          return outcome.kind === 'claimed' ? outcome.channel?.account : undefined
        })
        const [abandoned, ...recorded] = await Promise.all([
          abandonExpiredClaims(stores[1].db),
          ...nonces.map((nonce, index) =>
            recordEnvelope(stores[0].db, recording(nonce, { channel: channels[index] ?? 'none' })),
          ),
        ])
        const submitted = recorded.filter(Boolean).length
        const left = await listUnfinished(stores[0].db, network)
        expect(left.filter(({ state }) => state === 'submitted')).toHaveLength(submitted)
        expect(abandoned + left.length).toBe(4)
        expect(await countChannelUse(stores[0].db, network, sponsor)).toMatchObject({
          inUse: submitted + left.filter(({ state }) => state === 'claimed').length,
        })
        await emptyTables(stores[0])
        await addChannels(stores[0], 4)
      }
    })

    it('finish once: every caller gets the same outcome', async () => {
      await addChannels(stores[0], 1)
      for (let round = 0; round < rounds; round++) {
        const nonce = `${round}`
        await claimWithChannel(stores[0].db, claimRequest(nonce))
        await recordEnvelope(stores[0].db, recording(nonce))
        const outcomes = await race(6, (store, index) =>
          finishSettlement(store.db, ending(nonce, { state: 'failed', response: { by: index } })),
        )
        expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1)
        const answers = new Set(
          outcomes.map(({ settlement }) => settlement.outcome?.response['by']),
        )
        expect(answers.size).toBe(1)
      }
    })

    it('renew the following of a settlement while it is being ended, and read how it ended', async () => {
      await addChannels(stores[0], 1)
      await submit(stores[0], '1')
      const { asking } = await stores[0].db.transaction().execute(async (transaction) => {
        await finishSettlement(transaction, ending('1'))
        const waits = renewFollowing(stores[1].db, keyOf('1'), 60_000)
        await untilLockWaits(stores[0].db, 1)
        return { asking: waits }
      })
      expect(await asking).toMatchObject({ state: 'succeeded' })
    })
  })
}
