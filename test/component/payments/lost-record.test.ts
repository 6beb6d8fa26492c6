import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

/** As after a failover to a standby that lacks the last commits. */
describe('a settlement whose record the store has lost', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ timings: { rebroadcastMs: 100 } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it('is answered with what the ledger says, and its repeat is refused', async () => {
    const { stack, pay } = world
    const body = await pay()
    stack.hold(true)
    const answering = stack.post('/settle', body)
    await untilSent(stack, body)
    const [hash] = stack.taken.slice(-1)
    await stack.store.db
      .updateTable('channels')
      .set({ lease_owner: null, lease_settlement: null, lease_expires_at: null })
      .execute()
    await stack.store.db.deleteFrom('settlements').execute()
    stack.hold(false)
    await stack.localnet.closeLedger()

    expect((await answering).body).toMatchObject({ success: true, transaction: hash })
    const repeated = await stack.post('/settle', body)
    expect(repeated.body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_nonce_already_used',
    })
    expect((await stack.post('/settle', await pay())).body.success).toBe(true)
  })
})
