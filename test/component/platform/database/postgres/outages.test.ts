import { createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listChannels } from '../../../../../src/payments/store/channels/channel.ts'
import { abandonExpiredClaims } from '../../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../../src/payments/store/settlements/list.ts'
import { finishSettlement } from '../../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../../src/payments/store/settlements/transitions/record.ts'
import {
  openStore,
  type Store,
  type StoreOptions,
} from '../../../../../src/platform/database/open.ts'
import { StoreUnavailable } from '../../../../../src/platform/database/postgres/unavailable.ts'
import { LOCK_WAITS } from '../../../../support/lock-waits.ts'
import { freshDatabase, type TestDatabase } from '../../../../support/postgres.ts'
import {
  addChannels,
  claimRequest,
  ending,
  keyOf,
  network,
  recording,
} from '../../../payments/store/builders.ts'
import { startPostgresProxy } from '../postgres-proxy.ts'
import { startRestartablePostgres } from '../restartable-postgres.ts'

type Settings = Omit<Extract<StoreOptions, { kind: 'postgres' }>, 'kind' | 'url'>

const open = (url: string, settings: Settings = {}) =>
  openStore({ kind: 'postgres', url, poolSize: 2, statementTimeoutMs: 5_000, ...settings })

const claim = (store: Store, nonce: string) => claimWithChannel(store.db, claimRequest(nonce))

/** The fault that a call meets; fails when it meets none, or another. */
async function faultOf(work: Promise<unknown>): Promise<StoreUnavailable> {
  const fault = await work.then(
    () => 'no fault',
    (error: unknown) => error,
  )
  if (fault instanceof StoreUnavailable) return fault
  throw new Error('the store was not unavailable', { cause: fault })
}

describe('a store whose server goes away', () => {
  it('is unavailable while the server is stopped, and serves again by itself', async () => {
    await using server = await startRestartablePostgres()
    const onConnectionLost = vi.fn()
    await using store = await open(server.url, { onConnectionLost })
    await store.migrate()
    await addChannels(store, 1)
    await claim(store, '1')

    await server.stop()
    // The store notices the loss a moment later; until then a call could still use the old connection.
    await vi.waitFor(() => expect(onConnectionLost).toHaveBeenCalled(), { timeout: 120_000 })
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.ping(),
      () => store.pendingMigrations(),
      () => store.migrate(),
      () => findSettlement(store.db, keyOf('1')),
      () => claim(store, '2'),
      () => recordEnvelope(store.db, recording('1')),
      () => finishSettlement(store.db, ending('1')),
      () => abandonExpiredClaims(store.db),
      () => listUnfinished(store.db, network),
      () => listChannels(store.db, network),
      () => addChannels(store, 2),
    ]
    for (const call of calls) expect(await faultOf(call())).toBeInstanceOf(StoreUnavailable)

    await server.start()
    expect(await recordEnvelope(store.db, recording('1'))).toBe(true)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({ state: 'submitted' })
  })

  it('cuts a statement short without an effect, and can repeat it', async () => {
    await using server = await startRestartablePostgres()
    await using store = await open(server.url)
    await store.migrate()
    await using holder = await holdingTables(server.url)
    const cut = faultOf(claim(store, '1'))
    await holder.isWaitedFor()
    await server.stop()
    await cut
    await server.start()
    expect(await findSettlement(store.db, keyOf('1'))).toBeUndefined()
    expect(await claim(store, '1')).toMatchObject({ kind: 'claimed', attempt: 1 })
  })

  it('serves again after the server’s crash and recovery', async () => {
    await using server = await startRestartablePostgres()
    await using store = await open(server.url)
    await store.migrate()
    await claim(store, '1')
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // When a backend crashes, Postgres ends all others, since shared memory may be corrupt.
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
    await vi.waitFor(() => faultOf(store.ping()), { timeout: 120_000, interval: 1 })
    await vi.waitFor(() => store.ping(), { timeout: 120_000, interval: 20 })
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({ state: 'claimed' })
  })

  it('is unavailable when no server listens', async () => {
    await using store = await open(`postgres://user:password@127.0.0.1:${await unusedPort()}/none`)
    expect((await faultOf(store.ping())).message).toMatch(/^Nothing accepts connections at /)
  })
})

describe('a store', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  beforeEach(async () => {
    await using store = await open(database.url)
    await addChannels(store, 1)
  })
  afterEach(async () => {
    await using store = await open(database.url)
    await store.db.deleteFrom('channels').execute()
    await store.db.deleteFrom('settlements').execute()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  it('gives up on a statement that takes too long, and goes on with the next', async () => {
    await using store = await open(database.url, { poolSize: 1, statementTimeoutMs: 150 })
    {
      await using _holder = await holdingTables(database.url)
      expect((await faultOf(claim(store, '1'))).message).toMatch(/statement timeout/)
    }
    expect(await claim(store, '1')).toMatchObject({ kind: 'claimed', attempt: 1 })
  })

  it('rolls a transaction back when a statement of it takes too long', async () => {
    await using store = await open(database.url, { poolSize: 1, statementTimeoutMs: 150 })
    const slow = store.db.transaction().execute(async (transaction) => {
      await sql`update channels set state = 'retired'`.execute(transaction)
      await sql`select pg_sleep(30)`.execute(transaction)
    })
    await faultOf(slow)
    expect(await listChannels(store.db, network)).toMatchObject([{ state: 'active' }])
  })

  it('is unavailable when its connection is cut during a query, and gets a new one', async () => {
    await using store = await open(database.url, { poolSize: 1 })
    await faultOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(store.db))
    await store.ping()
  })

  it('gives up on a server that hangs, and goes on over another connection', async () => {
    await using store = await open(database.url, { poolSize: 1, statementTimeoutMs: 100 })
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
    const backend = rows[0]?.pid ?? 0
    process.kill(backend, 'SIGSTOP')
    try {
      expect((await faultOf(store.ping())).message).toMatch(/Query read timeout/)
      await store.ping()
    } finally {
      process.kill(backend, 'SIGCONT')
    }
  })

  it('gives up on waiting for a connection when all are busy', async () => {
    await using store = await open(database.url, { poolSize: 1, connectTimeoutMs: 100 })
    const holder = await holdingTables(database.url)
    const busy = claim(store, '1')
    await holder.isWaitedFor()
    expect((await faultOf(store.ping())).message).toMatch(
      /^No connection to Postgres at .* became free/,
    )
    await holder[Symbol.asyncDispose]()
    expect(await busy).toMatchObject({ kind: 'claimed' })
  })

  it('replaces an idle connection that died, and no caller notices', async () => {
    const onConnectionLost = vi.fn()
    await using store = await open(database.url, { poolSize: 1, onConnectionLost })
    await using other = await open(database.url)
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db)
    await vi.waitFor(() => expect(onConnectionLost).toHaveBeenCalledOnce(), { timeout: 120_000 })
    await store.ping()
  })

  it('is not called unavailable when it refuses a statement', async () => {
    await using store = await open(database.url)
    const refused = sql`select 1 / 0`.execute(store.db)
    await expect(refused).rejects.toThrow('division by zero')
    await expect(refused).rejects.not.toBeInstanceOf(StoreUnavailable)
  })

  it('is called unavailable when it refuses the password: callers may try again', async () => {
    const url = new URL(database.url)
    url.password = 'wrong'
    await using store = await open(url.href)
    expect((await faultOf(store.ping())).message).toMatch(/refuses the password of role "postgres"/)
  })

  it('finishes what runs before it closes, rejects what waits, and may be closed twice', async () => {
    const store = await open(database.url, { poolSize: 1 })
    const holder = await holdingTables(database.url)
    const running = claim(store, '1')
    const waiting = expect(claim(store, '2')).rejects.toThrow('driver has already been destroyed')
    await holder.isWaitedFor()
    const closing = [store.close(), store.close()]
    await holder[Symbol.asyncDispose]()
    expect(await running).toMatchObject({ kind: 'claimed' })
    await waiting
    await Promise.all(closing)
    await store.close()
  })

  it('that is closed before its first query opens no connection, then or later', async () => {
    await using proxy = await startPostgresProxy(database.url)
    const store = await open(proxy.url)
    await store.close()
    await expect(store.ping()).rejects.toThrow()
    expect(store.connections()).toEqual({ inUse: 0, idle: 0, waiting: 0 })
    expect(proxy.connections).toBe(0)
  })

  it('has claimed although its answer was lost: a second claim finds the first', async () => {
    await using proxy = await startPostgresProxy(database.url)
    await using store = await open(proxy.url)
    await store.ping()
    proxy.loseNextAnswer()
    await faultOf(claim(store, '1'))
    expect(await claim(store, '1')).toMatchObject({
      kind: 'existing',
      settlement: { owner: 'one', attempt: 1, state: 'claimed' },
    })
  })

  it('has recorded although its answer was lost: the row shows it', async () => {
    await using proxy = await startPostgresProxy(database.url)
    await using store = await open(proxy.url)
    await claim(store, '1')
    proxy.loseNextAnswer()
    await faultOf(recordEnvelope(store.db, recording('1')))
    expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      state: 'submitted',
      recorded: { txHash: recording('1').txHash },
    })
  })

  it('has finished although its answer was lost: a second finish returns the same', async () => {
    await using proxy = await startPostgresProxy(database.url)
    await using store = await open(proxy.url)
    await claim(store, '1')
    await recordEnvelope(store.db, recording('1'))
    proxy.loseNextAnswer()
    await faultOf(finishSettlement(store.db, ending('1')))
    expect(
      await finishSettlement(store.db, ending('1', { response: { success: false } })),
    ).toMatchObject({
      isNew: false,
      settlement: { state: 'succeeded', outcome: { response: { success: true } } },
    })
  })
})

interface Holder extends AsyncDisposable {
  /** Resolves when a statement waits for the lock. */
  isWaitedFor(): Promise<void>
}

/** Locks the tables, so that every claim waits until this is disposed. */
async function holdingTables(url: string): Promise<Holder> {
  const client = new pg.Client({ connectionString: url })
  // The server may go away first.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query('lock table settlements in share mode')
  return {
    isWaitedFor: () =>
      vi.waitFor(
        async () => {
          const { rows } = await client.query<{ count: number }>(LOCK_WAITS)
          expect(rows[0]?.count, 'statements that wait').toBeGreaterThan(0)
        },
        { timeout: 120_000, interval: 5 },
      ),
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  }
}

/** A port that was free just now. */
const unusedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
