import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/store/open.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { claimRequest, keyOf, NO_TIME, network, putChannels, sponsor } from './builders.ts'
import { emptyTables } from './open-stores.ts'

describe('what replicas do beside settling, at the same time', () => {
  let database: TestDatabase
  let stores: readonly [Store, Store]
  beforeAll(async () => {
    database = await freshDatabase()
    const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 6 })
    stores = [await open(), await open()]
    // Connected beforehand, so that they start at the same moment.
    await Promise.all(Array.from({ length: 6 }, (_, index) => stores[index % 2]?.ping()))
  })
  afterEach(() => emptyTables(stores[0]))
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await database[Symbol.asyncDispose]()
  })

  it('write the same channels for the first time, without an error', async () => {
    for (let round = 0; round < 60; round++) {
      await Promise.all(
        Array.from({ length: 6 }, (_, index) => putChannels(stores[index % 2]!, 20)),
      )
      expect(await stores[0].channels.list(network)).toHaveLength(20)
      await emptyTables(stores[0])
    }
  })

  it('write channels and sweep dead claims, without waiting in a circle', async () => {
    const [one, two] = stores
    await putChannels(one, 30)
    for (let round = 0; round < 10; round++) {
      const nonces = Array.from({ length: 30 }, (_, index) => `${round}/${index}`)
      for (const nonce of nonces) {
        await one.settlements.claimWithChannel(claimRequest(nonce, { claimTtlMs: NO_TIME }))
      }
      const [first, second, third] = await Promise.all([
        one.settlements.releaseDeadClaims(),
        two.settlements.releaseDeadClaims(),
        two.settlements.releaseDeadClaims({ owner: 'one' }),
        putChannels(one, 30),
        putChannels(two, 30),
      ])
      expect(first + second + third).toBe(30)
      expect(await one.channels.countUse(network, sponsor)).toEqual({ active: 30, inUse: 0 })
    }
  })

  it('sweep what nobody else holds, and leave the rest for the next sweep', async () => {
    const [one, two] = stores
    await putChannels(one, 2)
    await one.settlements.claimWithChannel(claimRequest('held', { claimTtlMs: NO_TIME }))
    await one.settlements.claimWithChannel(claimRequest('dead', { claimTtlMs: NO_TIME }))
    await one.db.transaction().execute(async (transaction) => {
      const row = transaction.selectFrom('settlements').selectAll().where('nonce', '=', 'held')
      await row.forUpdate().execute()
      expect(await two.settlements.releaseDeadClaims()).toBe(1)
    })
    expect(await two.settlements.find(keyOf('held'))).toMatchObject({ state: 'claimed' })
    expect(await two.settlements.releaseDeadClaims()).toBe(1)
    expect(await two.settlements.find(keyOf('held'))).toMatchObject({ state: 'abandoned' })
  })
})
