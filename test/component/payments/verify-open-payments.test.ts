/** `/verify` knows the settlements of the same authorization, and the other ones of the payer that are under way. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openWallet } from '../../support/payments.ts'
import { rowOf, untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.stack.hold(false))
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

test('a payment is not valid while others under way leave too little of the funds; the repeat of one of those is', async () => {
  const { stack, pay } = world
  await using replica = await stack.replica()
  const payer = await openWallet(stack.localnet, 299_999n)
  const plan = { payer, amount: 100_000n }
  const [first, second, third] = [await pay(plan), await pay(plan), await pay(plan)]
  const verify = async (post: typeof stack.post, body: typeof first) =>
    (await post('/verify', body)).body
  stack.hold(true)
  const settling = [stack.post('/settle', first)]
  await untilSent(stack, first)
  expect(await verify(stack.post, second)).toMatchObject({ isValid: true })
  settling.push(stack.post('/settle', second))
  await untilSent(stack, second)
  for (const { post } of [stack, replica]) {
    expect(await verify(post, third)).toEqual({
      isValid: false,
      invalidReason: 'insufficient_funds',
      invalidMessage: expect.stringMatching(
        `^the payer ${payer.address} holds 299999 base units of USDC on ledger \\d+; its unfinished`,
      ),
      payer: payer.address,
    })
    for (const body of [first, second]) {
      expect(await verify(post, body)).toMatchObject({ isValid: true })
    }
  }
  // As the claim says.
  expect((await stack.post('/settle', third)).body).toMatchObject({
    success: false,
    errorReason: 'insufficient_funds',
  })
  stack.hold(false)
  await stack.localnet.closeLedger()
  const answers = await Promise.all(settling)
  expect(answers.map(({ body }) => body.success)).toEqual([true, true])
})

test('a payment that the balance includes already, though it is unfinished, leaves no less', async () => {
  await using left = await openWorld({
    reconcileIntervalMs: 600_000,
    timings: { followedForMs: 600_000, stopWaitMs: 0 },
  })
  const { stack, pay } = left
  const payer = await openWallet(stack.localnet, 200_000n)
  const plan = { payer, amount: 100_000n }
  const [first, second] = [await pay(plan), await pay(plan)]
  const dying = await stack.replica()
  stack.hold(true)
  const lost = dying.post('/settle', first).catch(() => undefined)
  await untilSent(stack, first)
  await dying[Symbol.asyncDispose]()
  await lost
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect((await stack.post('/verify', second)).body).toMatchObject({ isValid: true })
  // It has read and not finished the other payment.
  expect(await rowOf(stack, first)).toMatchObject({ state: 'submitted' })
})

test('the funds of payments under way are not counted where the limit is off', async () => {
  const payers = { limitToFunds: false }
  await using unlimited = await openWorld({ network: { payers } })
  const { stack, pay } = unlimited
  const payer = await openWallet(stack.localnet, 199_999n)
  const plan = { payer, amount: 100_000n }
  const [first, second] = [await pay(plan), await pay(plan)]
  stack.hold(true)
  const settling = stack.post('/settle', first)
  await untilSent(stack, first)
  expect((await stack.post('/verify', second)).body).toMatchObject({ isValid: true })
  stack.hold(false)
  await stack.localnet.closeLedger()
  await settling
})
