import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import {
  addChannels,
  claimRequest,
  keyOf,
  NO_TIME,
  network,
  sponsor,
} from '../../payments/store/builders.ts'
import { emptyTables } from './open-stores.ts'

/** A suite that repeats what two replicas do at their start, and their sweeps. */
export function startAndSweep({
  starts,
  sweeps,
}: {
  readonly starts: number
  readonly sweeps: number
}): void {
  describe('two replicas that provision and sweep at the same time', () => {
    let database: TestDatabase
    let stores: readonly [Store, Store]
    beforeAll(async () => {
      database = await freshDatabase()
      const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 6 })
      stores = [await open(), await open()]
      // Connects first, so that they start at the same moment.
      await Promise.all(Array.from({ length: 6 }, (_, index) => stores[index % 2]?.ping()))
    })
    afterEach(() => emptyTables(stores[0]))
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await database[Symbol.asyncDispose]()
    })

    it('write the same channels for the first time, without an error', async () => {
      for (let round = 0; round < starts; round++) {
        await Promise.all(
          Array.from({ length: 6 }, (_, index) => addChannels(stores[index % 2]!, 20)),
        )
        expect(await listChannels(stores[0].db, network)).toHaveLength(20)
        await emptyTables(stores[0])
      }
    })

    it('write channels and abandon expired claims without a deadlock', async () => {
      const [one, two] = stores
      await addChannels(one, 30)
      for (let round = 0; round < sweeps; round++) {
        const nonces = Array.from({ length: 30 }, (_, index) => `${round}/${index}`)
        for (const nonce of nonces) {
          await claimWithChannel(one.db, claimRequest(nonce, { claimTtlMs: NO_TIME }))
        }
        const [first, second, third] = await Promise.all([
          abandonExpiredClaims(one.db),
          abandonExpiredClaims(two.db),
          abandonExpiredClaims(two.db),
          addChannels(one, 30),
          addChannels(two, 30),
        ])
        expect(first + second + third).toBe(30)
        expect(await countChannelUse(one.db, network, sponsor)).toEqual({ active: 30, inUse: 0 })
      }
    })

    it('sweep claims that are not locked, and leave the others for the next sweep', async () => {
      const [one, two] = stores
      await addChannels(one, 2)
      await claimWithChannel(one.db, claimRequest('held', { claimTtlMs: NO_TIME }))
      await claimWithChannel(one.db, claimRequest('dead', { claimTtlMs: NO_TIME }))
      await one.db.transaction().execute(async (transaction) => {
        const row = transaction.selectFrom('settlements').selectAll().where('nonce', '=', 'held')
        await row.forUpdate().execute()
        expect(await abandonExpiredClaims(two.db)).toBe(1)
      })
      expect(await findSettlement(two.db, keyOf('held'))).toMatchObject({ state: 'claimed' })
      expect(await abandonExpiredClaims(two.db)).toBe(1)
      expect(await findSettlement(two.db, keyOf('held'))).toMatchObject({ state: 'abandoned' })
    })
  })
}
