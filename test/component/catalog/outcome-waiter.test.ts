import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { OutcomeWaiter } from '../../../src/catalog/outcome/outcome-waiter.ts'
import { claimWithChannel } from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { finishSettlement } from '../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../src/payments/store/settlements/transitions/record.ts'
import { openStore, type Store } from '../../../src/platform/database/open.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordDeclarations } from '../../support/recorded-declarations.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  keyOf,
  recording,
} from '../payments/store/builders.ts'
import { emptyTables } from '../platform/database/open-stores.ts'
import { type PostgresProxy, startPostgresProxy } from '../platform/database/postgres-proxy.ts'

const recorded = { status: 'success', code: 'cataloged', dropped: [] } as const

describe('a wait for outcomes', () => {
  let database: TestDatabase
  let proxy: PostgresProxy
  let store: Store
  let other: Store
  let clock: FakeClock
  let stop: AbortController
  let errors: unknown[]
  let waiter: OutcomeWaiter
  beforeAll(async () => {
    database = await freshDatabase()
    proxy = await startPostgresProxy(database.url)
    store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 2 })
    other = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
  })
  beforeEach(async () => {
    await addChannels(store, 5)
    clock = new FakeClock()
    stop = new AbortController()
    errors = []
    const onError = (error: unknown) => void errors.push(error)
    waiter = new OutcomeWaiter({ store, clock, onError, signal: stop.signal })
  })
  afterEach(async () => {
    stop.abort()
    await emptyTables(store)
  })
  afterAll(async () => {
    await store.close()
    await other.close()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const settle = async (nonce: string, declaration?: string) => {
    const { account } = channelOf(await claimWithChannel(store.db, claimRequest(nonce)))
    await recordEnvelope(store.db, recording(nonce, { channel: account, declaration }))
    await finishSettlement(store.db, ending(nonce))
  }
  const untilSleeping = (count: number) =>
    vi.waitFor(() => expect(clock.sleeping).toBe(count), { timeout: 120_000, interval: 5 })

  it('ends at once when the outcome is stored already', async () => {
    await settle('1', '{}')
    await recordDeclarations(other.db, recorded)
    expect(await waiter.wait(keyOf('1'))).toEqual({ kind: 'recorded', outcome: recorded })
    expect(clock.sleeping).toBe(0)
  })

  it('ends at once for a settlement that declared nothing, or is not stored', async () => {
    await settle('1')
    expect(await waiter.wait(keyOf('1'))).toEqual({ kind: 'none' })
    expect(await waiter.wait(keyOf('2'))).toEqual({ kind: 'none' })
  })

  it('ends when another process stores the outcome', async () => {
    await settle('1', '{}')
    let state: unknown
    const waiting = waiter.wait(keyOf('1')).then((found) => (state = found))
    await untilSleeping(2)
    expect(state).toBeUndefined()
    expect(await recordDeclarations(other.db, recorded)).toBe(1)
    await clock.advance(75)
    expect(await waiting).toEqual({ kind: 'recorded', outcome: recorded })
    expect(clock.sleeping).toBe(0)
  })

  it('costs one statement at a time, however many wait, and none afterwards', async () => {
    const nonces = ['0', '1', '2', '3', '4']
    for (const nonce of nonces) await settle(nonce, '{}')
    const before = proxy.roundTrips
    const waits = nonces.flatMap((nonce) => [waiter.wait(keyOf(nonce)), waiter.wait(keyOf(nonce))])
    // The first asks alone; the others come while its statement is under way. Ten limits and one pause.
    await untilSleeping(11)
    expect(proxy.roundTrips - before).toBe(1)
    await recordDeclarations(other.db, recorded)
    await clock.advance(75)
    expect(await Promise.all(waits)).toEqual(
      waits.map(() => ({ kind: 'recorded', outcome: recorded })),
    )
    expect(proxy.roundTrips - before).toBe(2)
    await clock.advance(10_000)
    expect(proxy.roundTrips - before).toBe(2)
    expect(clock.sleeping).toBe(0)
  })

  it('ends after 1.9 s without an outcome', async () => {
    await settle('1', '{}')
    let state: unknown
    const waiting = waiter.wait(keyOf('1')).then((found) => (state = found))
    await untilSleeping(2)
    await clock.advance(1_899)
    expect(state).toBeUndefined()
    await clock.advance(1)
    expect(await waiting).toEqual({ kind: 'waiting' })
  })

  it('ends when the process stops', async () => {
    await settle('1', '{}')
    const waiting = waiter.wait(keyOf('1'))
    stop.abort(new Error('stopping'))
    expect(await waiting).toEqual({ kind: 'waiting' })
  })

  it('ends without an outcome, and is reported once, when the store fails', async () => {
    const closed = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
    await closed.close()
    const onError = (error: unknown) => void errors.push(error)
    const failing = new OutcomeWaiter({ store: closed, clock, onError, signal: stop.signal })
    expect(await failing.wait(keyOf('1'))).toEqual({ kind: 'waiting' })
    expect(errors).toHaveLength(1)
  })
})
