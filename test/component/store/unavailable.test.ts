import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/store/embedded-postgres.ts'
import { openStore } from '../../../src/store/open.ts'
import { StoreUnavailable } from '../../../src/store/unavailable.ts'

/** On a server of its own, which it takes away from the store in every way that happens. */
describe('a Postgres store whose server fails', () => {
  let server: EmbeddedPostgres
  beforeAll(async () => {
    server = await startEmbeddedPostgres()
  })
  afterAll(() => server.close())

  const open = (options: { url?: string; statementTimeoutMs?: number } = {}) =>
    openStore({
      kind: 'postgres',
      url: server.url,
      poolSize: 1,
      statementTimeoutMs: 500,
      connectTimeoutMs: 1_000,
      ...options,
    })

  it('says that nobody listens', async () => {
    await using store = await open({ url: 'postgres://postgres:x@127.0.0.1:1/postgres' })
    await expect(store.ping()).rejects.toThrow(StoreUnavailable)
    await expect(store.migrate()).rejects.toThrow(StoreUnavailable)
  })

  it('says that the connection was cut, and gets a new one', async () => {
    await using store = await open()
    const cut = sql`select pg_terminate_backend(pg_backend_pid())`.execute(store.db)
    await expect(cut).rejects.toThrow(StoreUnavailable)
    await store.ping()
  })

  it('outlives the death of an idle connection', async () => {
    const lost: string[] = []
    await using store = await openStore({
      kind: 'postgres',
      url: server.url,
      poolSize: 1,
      onConnectionLost: (error) => lost.push(error.message),
    })
    await using other = await open()
    await store.ping()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and application_name = 'svc'`.execute(other.db)
    await expect.poll(() => lost, { timeout: 10_000 }).not.toEqual([])
    await store.ping()
  })

  it('says that a statement took too long, and rolls its transaction back', async () => {
    await using store = await open()
    await sql`create table if not exists written (n integer)`.execute(store.db)
    const slow = store.db.transaction().execute(async (transaction) => {
      await sql`insert into written values (1)`.execute(transaction)
      await sql`select pg_sleep(30)`.execute(transaction)
    })
    await expect(slow).rejects.toThrow(StoreUnavailable)
    const { rows } = await sql`select n from written`.execute(store.db)
    expect(rows).toEqual([])
  })

  it('says that a frozen server does not answer, and recovers when it thaws', async () => {
    await using store = await open()
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
    const backend = rows[0]!.pid
    process.kill(backend, 'SIGSTOP')
    try {
      await expect(store.ping()).rejects.toThrow(StoreUnavailable)
      // The hung connection was given up: the next question goes over a new one.
      await store.ping()
    } finally {
      process.kill(backend, 'SIGCONT')
    }
    await store.ping()
  })

  it('does not call a refused statement unavailable', async () => {
    await using store = await open()
    const refused = sql`select 1 / 0`.execute(store.db)
    await expect(refused).rejects.toThrow('division by zero')
    await expect(refused).rejects.not.toThrow(StoreUnavailable)
  })

  it('reads int8 as bigint, and leaves other connections of this process as they are', async () => {
    await using store = await open()
    const { rows } = await sql`select 9223372036854775807::int8 as n, 1::int4 as i`.execute(
      store.db,
    )
    expect(rows).toEqual([{ n: 9_223_372_036_854_775_807n, i: 1 }])
    const { default: pg } = await import('pg')
    expect(pg.types.getTypeParser(20)('7')).toBe('7')
  })

  it('closes twice, also when it was never used', async () => {
    const store = await open()
    await store.close()
    await store.close()
  })
})
