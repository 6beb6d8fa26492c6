import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimSponsor } from '../../../../src/payments/store/pools/ownership.ts'
import {
  deleteHeartbeats,
  listLiveReplicas,
  type ServedSponsor,
  writeHeartbeats,
} from '../../../../src/payments/store/replica-heartbeats.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { databaseRoutes, missingFor, reachedBy } from '../../../support/database-routes.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const testnet = { network: 'stellar:testnet', sponsor: 'GSPONSOR' } as const
const pubnet = { network: 'stellar:pubnet', sponsor: 'GPUBLIC' } as const
const other: ServedSponsor = { ...testnet, sponsor: 'GOTHER' }

/** Moves the heartbeats of a replica into the past, by the clock of the database. */
const age = ({ db }: Store, replica: string, seconds: number) =>
  sql`update replica_heartbeats set seen_at = seen_at - ${seconds} * interval '1 second'
    where replica = ${replica}`.execute(db)

const replicasIn = async ({ db }: Store): Promise<readonly string[]> => {
  const rows = await db.selectFrom('replica_heartbeats').select('replica').execute()
  return [...new Set(rows.map(({ replica }) => replica))].toSorted()
}

describe('the heartbeats of replicas', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    await sql`delete from replica_heartbeats`.execute(store.db)
    await sql`delete from pools`.execute(store.db)
  })

  const hosts = async (of: ServedSponsor) =>
    (await listLiveReplicas(store.db, of)).map(({ host }) => host)

  it('name the replicas of a network with the age of the last one', async () => {
    await writeHeartbeats(store.db, 'pod-a/1', [testnet, pubnet])
    await writeHeartbeats(store.db, 'pod-b/2', [testnet])
    await age(store, 'pod-a/1', 20)
    expect(await listLiveReplicas(store.db, testnet)).toEqual([
      { host: 'pod-b', sponsor: 'GSPONSOR', ageSeconds: expect.any(Number) },
      { host: 'pod-a', sponsor: 'GSPONSOR', ageSeconds: expect.any(Number) },
    ])
    expect((await listLiveReplicas(store.db, testnet))[1]?.ageSeconds).toBeGreaterThanOrEqual(20)
    expect(await hosts(pubnet)).toEqual(['pod-a'])
  })

  it('count for 30 s by the clock of the database, and again after the next one', async () => {
    await writeHeartbeats(store.db, 'pod-a/1', [testnet])
    await age(store, 'pod-a/1', 31)
    expect(await hosts(testnet)).toEqual([])
    await writeHeartbeats(store.db, 'pod-a/1', [testnet])
    expect(await hosts(testnet)).toEqual(['pod-a'])
  })

  it('end with a replica that stops in good order, those of others do not', async () => {
    await writeHeartbeats(store.db, 'pod-a/1', [testnet, pubnet])
    await writeHeartbeats(store.db, 'pod-a/2', [testnet])
    await deleteHeartbeats(store.db, 'pod-a/1')
    expect(await replicasIn(store)).toEqual(['pod-a/2'])
  })

  it('of other sponsors count too, unless pools share the network', async () => {
    await writeHeartbeats(store.db, 'pod-a/1', [other])
    expect(await hosts(testnet)).toEqual(['pod-a'])
    await store.db
      .transaction()
      .execute((transaction) =>
        claimSponsor(transaction, { ...pubnet, uid: 'p', name: 'shop/pubnet' }, 'shop/operator'),
      )
    expect(await hosts(testnet)).toEqual(['pod-a'])
    await store.db
      .transaction()
      .execute((transaction) =>
        claimSponsor(transaction, { ...other, uid: 'o', name: 'shop/b' }, 'shop/operator'),
      )
    expect(await hosts(testnet)).toEqual([])
    expect(await hosts(other)).toEqual(['pod-a'])
  })

  it('of killed replicas are deleted after an hour, with the next heartbeat of another one', async () => {
    await writeHeartbeats(store.db, 'old/1', [testnet, pubnet])
    await writeHeartbeats(store.db, 'recent/2', [testnet])
    await age(store, 'old/1', 3_601)
    await age(store, 'recent/2', 3_000)
    await writeHeartbeats(store.db, 'pod-a/3', [testnet])
    expect(await replicasIn(store)).toEqual(['pod-a/3', 'recent/2'])
  })
})

describe('heartbeats of several processes on one Postgres', () => {
  it.for(databaseRoutes)('do not wait for each other, reached %s', async (route, { skip }) => {
    const missing = missingFor(route)
    if (missing !== undefined) return skip(missing)
    await using database = await reachedBy(route, freshDatabase())
    await using stores = new AsyncDisposableStack()
    const replicas = await Promise.all(
      ['a/1', 'b/2', 'c/3'].map(async (replica) => {
        const options = { kind: 'postgres', url: database.url, poolSize: 2 } as const
        return { replica, store: stores.use(await openStore(options)) }
      }),
    )
    const [{ store } = {}] = replicas
    if (!store) throw new Error('no store')
    for (let index = 0; index < 20; index += 1) {
      await writeHeartbeats(store.db, `dead/${index}`, [testnet, pubnet])
    }
    await sql`update replica_heartbeats set seen_at = seen_at - interval '2 hours'`.execute(
      store.db,
    )
    // The same rows in opposite orders: two statements that waited for each other would end in a deadlock.
    await Promise.all(
      replicas.flatMap(({ replica, store: { db } }) => [
        writeHeartbeats(db, replica, [testnet, pubnet]),
        writeHeartbeats(db, replica, [pubnet, testnet]),
      ]),
    )
    expect(await replicasIn(store)).toEqual(['a/1', 'b/2', 'c/3'])
  })
})
