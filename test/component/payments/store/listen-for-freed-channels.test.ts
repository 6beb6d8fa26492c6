import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { addChannels, claimRequest, ending, network, submit } from './builders.ts'

const another = 'stellar:pubnet'

let database: TestDatabase
let here: Store
let there: Store
beforeAll(async () => {
  database = await freshDatabase()
  const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
  here = await open()
  there = await open()
  await addChannels(there, 1)
})
afterAll(async () => {
  await here.close()
  await there.close()
  await database[Symbol.asyncDispose]()
})

/** Collects what a listener is notified of. */
function listening(store: Store) {
  const notified: (string | undefined)[] = []
  const onFreed = (freed?: string) => notified.push(freed)
  const onError = vi.fn()
  const listener = store.listenForFreedChannels({ clock: systemClock, onFreed, onError })
  const isNotified = (...expected: (string | undefined)[]) =>
    expect.poll(() => notified, { timeout: 120_000 }).toEqual(expected)
  return { listener, isNotified, onError }
}

test('a replica is notified, with the network, when another one has freed channels', async () => {
  const { listener, isNotified, onError } = listening(here)
  // The first call is for channels that were freed before the connection listened.
  await isNotified(undefined)
  there.notifyFreedChannels(another)
  await isNotified(undefined, another)
  there.notifyFreedChannels(network)
  await isNotified(undefined, another, network)
  await listener[Symbol.asyncDispose]()
  expect(onError).not.toHaveBeenCalled()
})

test('no statement that frees a channel notifies within its transaction', async () => {
  const { listener, isNotified } = listening(here)
  await isNotified(undefined)
  await submit(there, '1')
  await finishSettlement(there.db, ending('1'))
  await claimWithChannel(there.db, claimRequest('2'))
  await sql`update channels set lease_owner = null, lease_settlement = null,
    lease_expires_at = null`.execute(there.db)
  // Notifications arrive in the order of their commits: an earlier one would come first.
  there.notifyFreedChannels(another)
  await isNotified(undefined, another)
  await listener[Symbol.asyncDispose]()
})

test('a close sends the last notification first', async () => {
  const { listener, isNotified } = listening(here)
  await isNotified(undefined)
  const closing = await openStore({ kind: 'postgres', url: database.url })
  closing.notifyFreedChannels(network)
  closing.notifyFreedChannels(another)
  await closing.close()
  await isNotified(undefined, network, another)
  await listener[Symbol.asyncDispose]()
})

test('a connection that gets no answer is given up and tried again', {
  timeout: 240_000,
}, async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await using store = await openStore({
    kind: 'postgres',
    url: `postgres://u:p@127.0.0.1:${port}/d`,
  })
  const { listener, onError } = listening(store)
  await expect.poll(() => sockets.length, { timeout: 120_000 }).toBe(2)
  expect(onError).toHaveBeenCalled()
  for (const socket of sockets) socket.destroy()
  silent.close()
  await listener[Symbol.asyncDispose]()
})
