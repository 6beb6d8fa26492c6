import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  leaseOne,
  network,
  recording,
  sponsor,
} from '../../payments/store/builders.ts'
import { emptyTables } from './open-stores.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts'

/** The round trips to Postgres of a settlement, counted on the wire. */
describe('round trips', () => {
  let database: TestDatabase
  let proxy: PostgresProxy
  let store: Store
  beforeAll(async () => {
    database = await freshDatabase()
    proxy = await startPostgresProxy(database.url)
    store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 1 })
  })
  beforeEach(() => addChannels(store, 2))
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
  const claim = (nonce: string) => claimWithChannel(store.db, claimRequest(nonce))

  it.each([
    ['', undefined],
    [' that declares a resource', '{"resource":{"url":"https://seller.example"}}'],
  ])(
    'a settlement alone%s waits for three: claim with channel, record, finish',
    async (_, declaration) => {
      const trips = [
        await tripsOf(() => claimWithChannel(store.db, claimRequest('1'))),
        await tripsOf(() => recordEnvelope(store.db, recording('1', { declaration }))),
        await tripsOf(() => finishSettlement(store.db, ending('1'))),
      ]
      expect(trips).toEqual([1, 1, 1])
      expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({ state: 'succeeded' })
    },
  )

  it.each<{
    what: string
    trips: number
    before?: () => Promise<unknown>
    work: () => Promise<unknown>
  }>([
    { what: 'a look-up', trips: 1, work: () => findSettlement(store.db, keyOf('1')) },
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
      work: () => leaseOne(store, fence('1')),
    },
    { what: 'a refused record', trips: 1, work: () => recordEnvelope(store.db, recording('1')) },
    {
      what: 'an end that came second',
      trips: 2,
      before: async () => {
        await claim('1')
        await recordEnvelope(store.db, recording('1'))
        await finishSettlement(store.db, ending('1'))
      },
      work: () => finishSettlement(store.db, ending('1')),
    },
    {
      what: 'a release',
      trips: 1,
      before: () => claim('1'),
      work: () => releaseClaim(store.db, fence('1')),
    },
    {
      what: 'the abandoning of expired claims',
      trips: 1,
      work: () => abandonExpiredClaims(store.db),
    },
    {
      what: 'a list of the unfinished',
      trips: 1,
      work: () => listUnfinished(store.db, network),
    },
    { what: 'a list of channels', trips: 1, work: () => listChannels(store.db, network) },
    { what: 'writing 100 channels, at the start', trips: 4, work: () => addChannels(store, 100) },
    { what: 'writing no channels', trips: 0, work: () => addChannels(store, 0) },
    {
      what: 'a count of channels',
      trips: 1,
      work: () => countChannelUse(store.db, network, sponsor),
    },
    { what: 'a ping', trips: 1, work: () => store.ping() },
  ])('$what takes $trips', async ({ trips, before, work }) => {
    await before?.()
    expect(await tripsOf(work)).toBe(trips)
  })
})
