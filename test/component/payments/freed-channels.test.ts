import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { resolveSettlement } from '../../../src/payments/engine/follow/resolve-by-hand.ts'
import { claimWithChannel } from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { flagUnresolvable } from '../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../src/payments/store/settlements/find.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { claimRequest, keyOf, NO_TIME, network, submit } from './store/builders.ts'
import { openWorld, type World } from './world.ts'

/** Every path that frees channels notifies the replicas whose settlements wait for one. */
describe('the replicas of a store are notified when', () => {
  let world: World
  let listener: AsyncDisposable
  const notified: (string | undefined)[] = []
  beforeAll(async () => {
    world = await openWorld({
      network: { channelCount: 1 },
      timings: { channelWaitMs: 100, confirmWindowMs: 1_000 },
      reconcileIntervalMs: 1_000,
    })
    listener = world.stack.store.listenForFreedChannels({
      clock: systemClock,
      onFreed: (freed) => notified.push(freed),
      onError: (error) => notified.push(String(error)),
    })
    await isNotified()
  })
  beforeEach(() => {
    notified.length = 0
  })
  afterAll(async () => {
    await listener[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const isNotified = (freed?: string) =>
    vi.waitFor(() => expect(notified).toContain(freed), { timeout: 120_000 })

  it('a payment is settled', async () => {
    const { stack, pay } = world
    expect((await stack.post('/settle', await pay())).body.success).toBe(true)
    await isNotified(network)
  })

  it('an expired claim is abandoned', async () => {
    await claimWithChannel(world.stack.store.db, claimRequest('1', { claimTtlMs: NO_TIME }))
    await isNotified(network)
  })

  it('an administrator resolves a settlement', async () => {
    const { store } = world.stack
    await store.db
      .insertInto('channels')
      .values({
        ...{ network, sponsor: 'GSPONSOR', index: 0, account: 'GCHANNEL0', sequence: 1n },
      })
      .execute()
    await submit(store, '2')
    await flagUnresolvable(store.db, keyOf('2'), 'the network forgot the ledgers', 60_000)
    const settlement = await findSettlement(store.db, keyOf('2'))
    await resolveSettlement(store, settlement!, { as: 'expired' })
    await isNotified(network)
  })

  it('channels are put in place', async () => {
    const { db } = world.stack.store
    const own = db.updateTable('channels').where('sponsor', '!=', 'GSPONSOR')
    await own.set({ state: 'draining' }).execute()
    await world.stack.restart()
    await isNotified(network)
  })

  it('a payment is refused after its claim', async () => {
    const { stack, pay } = world
    stack.hold(true)
    await stack.post('/settle', await pay())
    const refused = await stack.post('/settle', await pay())
    expect(refused.body.errorReason).toBe('settle_exact_stellar_channel_unavailable')
    await isNotified(network)
  })
})
