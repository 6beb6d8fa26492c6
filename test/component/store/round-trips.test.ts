import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/store/open.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  claimRequest,
  ending,
  fence,
  keyOf,
  network,
  putChannels,
  recording,
  sponsor,
} from './builders.ts'
import { emptyTables } from './open-stores.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts'

/** What one connection to Postgres costs a settlement, counted on the wire. */
describe('round trips', () => {
  let database: TestDatabase
  let proxy: PostgresProxy
  let store: Store
  beforeAll(async () => {
    database = await freshDatabase()
    proxy = await startPostgresProxy(database.url)
    store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 1 })
  })
  beforeEach(() => putChannels(store, 2))
  afterEach(() => emptyTables(store))
  afterAll(async () => {
    await store.close()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const tripsOf = async (work: () => Promise<unknown>) => {
    const before = proxy.roundTrips
    await work()
    return proxy.roundTrips - before
  }
  const claim = (nonce: string) => store.settlements.claimWithChannel(claimRequest(nonce))

  it('a settlement alone waits for three: claim with channel, record, finish', async () => {
    const trips = [
      await tripsOf(() => store.settlements.claimWithChannel(claimRequest('1'))),
      await tripsOf(() => store.settlements.record(recording('1'))),
      await tripsOf(() => store.settlements.finish(ending('1'))),
    ]
    expect(trips).toEqual([1, 1, 1])
    expect(await store.settlements.find(keyOf('1'))).toMatchObject({ state: 'succeeded' })
  })

  it.each<{
    what: string
    trips: number
    before?: () => Promise<unknown>
    work: () => Promise<unknown>
  }>([
    { what: 'a look-up', trips: 1, work: () => store.settlements.find(keyOf('1')) },
    {
      what: 'a claim of what is claimed',
      trips: 2,
      before: () => claim('1'),
      work: () => claim('1'),
    },
    {
      what: 'a lease',
      trips: 1,
      before: () => claim('1'),
      work: () => store.settlements.leaseChannel({ ...fence('1'), leaseTtlMs: 1_000 }),
    },
    { what: 'a refused record', trips: 1, work: () => store.settlements.record(recording('1')) },
    {
      what: 'an end that came second',
      trips: 2,
      before: async () => {
        await claim('1')
        await store.settlements.record(recording('1'))
        await store.settlements.finish(ending('1'))
      },
      work: () => store.settlements.finish(ending('1')),
    },
    {
      what: 'a release',
      trips: 1,
      before: () => claim('1'),
      work: () => store.settlements.release(fence('1')),
    },
    {
      what: 'the release of dead claims',
      trips: 1,
      work: () => store.settlements.releaseDeadClaims(),
    },
    {
      what: 'a list of the unfinished',
      trips: 1,
      work: () => store.settlements.unfinished(network),
    },
    { what: 'a list of channels', trips: 1, work: () => store.channels.list(network) },
    { what: 'writing 100 channels, at the start', trips: 4, work: () => putChannels(store, 100) },
    { what: 'writing no channels', trips: 0, work: () => putChannels(store, 0) },
    {
      what: 'a count of channels',
      trips: 1,
      work: () => store.channels.countUse(network, sponsor),
    },
    { what: 'a ping', trips: 1, work: () => store.ping() },
  ])('$what takes $trips', async ({ trips, before, work }) => {
    await before?.()
    expect(await tripsOf(work)).toBe(trips)
  })
})
