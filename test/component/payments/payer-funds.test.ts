/** One payer's unfinished payments are limited to its balance. */
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import { openWallet, type PaymentBody, type Wallet } from '../../support/payments.ts'
import { untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

const AMOUNT = 100_000n

function payments(world: World, payer: Wallet, count: number): Promise<PaymentBody[]> {
  // A ledger closes for almost every transaction: there must be one for each payment.
  const expirationLedger = world.stack.localnet.network.latest.sequence + 55
  const plan = { payer, amount: AMOUNT, maxTimeoutSeconds: 300, expirationLedger }
  return Promise.all(Array.from({ length: count }, () => world.pay(plan)))
}

/** Sends all at once, in turn to the given services, while no ledger closes; closes one when one was sent. */
async function settleAtOnce(
  { stack }: World,
  bodies: readonly PaymentBody[],
  posts: readonly World['stack']['post'][] = [stack.post],
) {
  const taken = stack.taken.length
  stack.hold(true)
  let answered = 0
  const settling = Promise.all(
    bodies.map(async (body, index) => {
      const answer = await posts[index % posts.length]?.('/settle', body)
      answered += 1
      return answer?.body
    }),
  )
  await vi.waitFor(
    () => {
      expect(stack.taken.length).toBe(taken + 1)
      expect(answered).toBe(bodies.length - 1)
    },
    { timeout: 120_000, interval: 20 },
  )
  stack.hold(false)
  await stack.localnet.closeLedger()
  return settling
}

const refusedFor = ({ address }: Wallet) => ({
  success: false,
  errorReason: 'insufficient_funds',
  errorMessage: expect.stringMatching(
    new RegExp(`^the payer ${address} holds 199999 base units of USDC on ledger \\d+; `),
  ),
  transaction: '',
})

async function expectOneOfEight(
  world: World,
  payer: Wallet,
  posts: readonly World['stack']['post'][] = [world.stack.post],
): Promise<void> {
  const { stack } = world
  const bodies = await payments(world, payer, 8)
  const ledger = stack.localnet.network.latest.sequence
  const answers = await settleAtOnce(world, bodies, posts)
  expect(answers.filter(({ success }) => success)).toHaveLength(1)
  const refused = answers.filter(({ success }) => !success)
  expect(refused).toEqual(refused.map(() => expect.objectContaining(refusedFor(payer))))
  expect(refused).toHaveLength(7)
  // No stroop was spent on a payment that could not be made.
  const applied = transactionsAfter(stack.localnet.network, ledger)
  expect(applied.map(({ successful }) => successful)).toEqual([true])
  expect(usdcOf(stack.localnet.network, payer.address)).toBe(99_999n)
}

describe('eight authorizations over funds for one', () => {
  test('settle once, and the others are refused before anything is sent', async () => {
    await using world = await openWorld({ network: { channelCount: 8 } })
    const payer = await openWallet(world.stack.localnet, 199_999n)
    await expectOneOfEight(world, payer)
    const { text } = await world.stack.metrics.expose()
    expect(text).toContain('svc_payer_refusals_total{network="stellar:testnet",rule="funds"} 7')
  })

  test('settle once for two replicas together', async () => {
    await using world = await openWorld({ network: { channelCount: 8 } })
    await using replica = await world.stack.replica()
    const payer = await openWallet(world.stack.localnet, 199_999n)
    await expectOneOfEight(world, payer, [world.stack.post, replica.post])
  })

  test('settle once for a smart account', async () => {
    await using world = await openWorld({ network: { channelCount: 8 } })
    const payer = await world.deployer.smartAccount('quiet', undefined, 199_999n)
    await expectOneOfEight(world, payer)
  })

  test('are all sent when the limit is off', async () => {
    const payers = { limitToFunds: false }
    await using world = await openWorld({ network: { channelCount: 8, payers } })
    const { stack } = world
    const payer = await openWallet(stack.localnet, 199_999n)
    stack.hold(true)
    const taken = stack.taken.length
    const bodies = await payments(world, payer, 8)
    const settling = Promise.all(bodies.map((body) => stack.post('/settle', body)))
    await vi.waitFor(() => expect(stack.taken.length).toBe(taken + 8), { timeout: 120_000 })
    await stack.localnet.closeLedger()
    const answers = await settling
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1)
  })
})

describe('a payer with funds for all of its payments', () => {
  test('makes 50 at once, over few channels', async () => {
    await using world = await openWorld({
      network: { channelCount: 5 },
      timings: { channelWaitMs: 60_000, claimTtlMs: 90_000 },
    })
    const { stack } = world
    const { network } = stack.localnet
    const payer = await openWallet(stack.localnet, 50n * AMOUNT)
    const bodies = await payments(world, payer, 50)
    const ledger = network.latest.sequence
    const answers = await Promise.all(bodies.map((body) => stack.post('/settle', body)))
    expect(answers.filter(({ body }) => body.success !== true)).toEqual([])
    expect(transactionsAfter(network, ledger).flatMap(transfersOf)).toHaveLength(50)
    expect(usdcOf(network, payer.address)).toBe(0n)
  })

  test('pays although a payment that is on the ledger already was left unfinished', async () => {
    await using world = await openWorld({
      reconcileIntervalMs: 600_000,
      timings: { followedForMs: 600_000, stopWaitMs: 0 },
    })
    const { stack } = world
    const payer = await openWallet(stack.localnet, 2n * AMOUNT)
    const [first, second] = await payments(world, payer, 2)
    if (!first || !second) throw new Error('too few payments')
    const dying = await stack.replica()
    stack.hold(true)
    const lost = dying.post('/settle', first).catch(() => undefined)
    await untilSent(stack, first)
    await dying[Symbol.asyncDispose]()
    await lost
    await stack.localnet.closeLedger()
    const unfinished = await sql<{ state: string }>`select state from settlements`.execute(
      stack.store.db,
    )
    expect(unfinished.rows).toEqual([{ state: 'submitted' }])

    stack.hold(false)
    const { body } = await stack.post('/settle', second)
    expect(body).toMatchObject({ success: true })
    expect(usdcOf(stack.localnet.network, payer.address)).toBe(0n)
  })
})
