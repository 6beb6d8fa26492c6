/** `/verify` knows the settlements of the same authorization. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a payment that is being settled stays valid at any replica, for a buyer who repeats its request; once it is made it is not', async () => {
  const { stack, pay } = world
  await using replica = await stack.replica()
  const body = await pay()
  expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })
  stack.hold(true)
  const settling = stack.post('/settle', body)
  await untilSent(stack, body)
  for (const { post } of [stack, replica]) {
    expect((await post('/verify', body)).body).toMatchObject({ isValid: true })
  }
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect((await settling).body).toMatchObject({ success: true })
  expect((await stack.post('/verify', body)).body).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_stellar_payload_nonce_already_used',
  })
})
