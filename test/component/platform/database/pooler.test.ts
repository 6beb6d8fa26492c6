import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore, type StoreOptions } from '../../../../src/platform/database/open.ts'
import { RoutesDiffer } from '../../../../src/platform/database/postgres/route.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { noPgBouncer, type PgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts'
import { bareDatabase, freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { network } from '../../payments/store/builders.ts'
import { startPostgresProxy } from './postgres-proxy.ts'

type Settings = Omit<Extract<StoreOptions, { kind: 'postgres' }>, 'kind' | 'url'>

const open = (url: string, settings: Settings = {}) =>
  openStore({ kind: 'postgres', url, poolSize: 4, ...settings })

/** PgBouncer in transaction mode, with two server connections for each database. */
describe('a store behind a connection pooler', () => {
  let database: TestDatabase
  let bouncer: PgBouncer
  beforeAll(async () => {
    database = await freshDatabase()
    if (noPgBouncer === undefined) {
      bouncer = await startPgBouncer({ serverUrl: database.url, poolSize: 2 })
    }
  })
  beforeEach(({ skip }) => {
    if (noPgBouncer !== undefined) skip(noPgBouncer)
  })
  afterAll(async () => {
    await bouncer?.[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('reports once that the statement time-out is refused, and works without it', async () => {
    const onTimeoutRefused = vi.fn()
    await using store = await open(bouncer.through(database.url), { onTimeoutRefused })
    await Promise.all(Array.from({ length: 20 }, () => store.ping()))
    expect(onTimeoutRefused).toHaveBeenCalledOnce()
  })

  it('limits the statements of a transaction, and nothing after it', async () => {
    await using store = await open(bouncer.through(database.url), { statementTimeoutMs: 150 })
    const slow = store.db
      .transaction()
      .execute((transaction) => sql`select pg_sleep(30)`.execute(transaction))
    await expect(slow).rejects.toThrow(/statement timeout/)
    const { rows } = await sql`show statement_timeout`.execute(store.db)
    expect(rows).toEqual([{ statement_timeout: '0' }])
  })

  it('holds no lock of a migration in a session, also after a failed one', async () => {
    await using bare = await bareDatabase()
    await using direct = await open(bare.url)
    await sql`create table channels (id integer)`.execute(direct.db)
    await using pooled = await open(bouncer.through(bare.url))
    await expect(pooled.migrate()).rejects.toThrow(/"channels" already exists/)
    await sql`drop table channels`.execute(direct.db)
    await Promise.all([pooled.migrate(), pooled.migrate()])
    const held = await sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`.execute(
      direct.db,
    )
    expect(held.rows).toEqual([])
  })

  it('migrates over the direct URL', async () => {
    await using bare = await bareDatabase()
    await using proxy = await startPostgresProxy(bare.url)
    await using store = await open(bouncer.through(bare.url), { directUrl: proxy.url })
    expect(await store.migrate()).not.toEqual([])
    expect(proxy.roundTrips).toBeGreaterThan(10)
    expect(await store.pendingMigrations()).toEqual([])
  })

  it('refuses to migrate over a direct URL of another database', async () => {
    await using bare = await bareDatabase()
    await using store = await open(bouncer.through(database.url), { directUrl: bare.url })
    await expect(store.migrate()).rejects.toThrow(RoutesDiffer)
    await using other = await open(bare.url)
    expect(await other.pendingMigrations()).not.toEqual([])
  })

  const listening = async (directUrl: string | undefined, clock: Clock = systemClock) => {
    const store = await open(bouncer.through(database.url), { directUrl })
    const [onFreed, onError, onPooled] = [vi.fn(), vi.fn(), vi.fn()]
    const listener = store.listenForFreedChannels({ clock, onFreed, onError, onPooled })
    return {
      onFreed,
      onError,
      onPooled,
      [Symbol.asyncDispose]: async () => {
        await listener[Symbol.asyncDispose]()
        await store.close()
      },
    }
  }
  const SOON = { timeout: 120_000 }

  it('does not listen for freed channels, and says so once', async () => {
    await using listener = await listening(undefined)
    await expect.poll(() => listener.onPooled.mock.calls, SOON).toHaveLength(1)
    expect(listener.onFreed).not.toHaveBeenCalled()
    expect(listener.onError).not.toHaveBeenCalled()
  })

  it('listens over the direct URL', async () => {
    await using listener = await listening(database.url)
    await expect.poll(() => listener.onFreed.mock.calls, SOON).toEqual([[]])
    await using other = await open(bouncer.through(database.url))
    other.notifyFreedChannels(network)
    await expect.poll(() => listener.onFreed.mock.calls, SOON).toEqual([[], [network]])
    expect(listener.onPooled).not.toHaveBeenCalled()
  })

  it('stops listening over a direct URL that turns out to be shared', async () => {
    const clock = new FakeClock()
    await using listener = await listening(bouncer.through(database.url), clock)
    await expect.poll(() => listener.onFreed.mock.calls, SOON).toEqual([[]])
    await using other = await open(bouncer.through(database.url))
    await other.db.transaction().execute(async (transaction) => {
      // PgBouncer lends the server connection that was used last, so the listener gets another one.
      await sql`select 1`.execute(transaction)
      await expect
        .poll(async () => {
          await clock.advance(30_000)
          return listener.onPooled.mock.calls
        }, SOON)
        .toHaveLength(1)
    })
    expect(listener.onError).not.toHaveBeenCalled()
  })
})
