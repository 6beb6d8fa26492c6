import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import { openWallet, type PaymentBody } from '../../support/payments.ts'
import { type RpcFault, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { leasedChannels, rowOf, untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

/** A payment is made once, however often it is requested and whichever answers are lost. */
const settle = async ({ stack }: World, body: PaymentBody) => {
  const answer = await stack.post('/settle', body)
  return { status: answer.status, ...answer.body }
}

async function expectOneTransfer(world: World, sinceLedger: number, hash: string): Promise<void> {
  const { stack } = world
  await stack.localnet.closeLedger()
  const applied = transactionsAfter(stack.localnet.network, sinceLedger)
  expect(applied.map((transaction) => transaction.hash)).toEqual([hash])
  expect(applied.flatMap(transfersOf)).toHaveLength(1)
  expect(await leasedChannels(stack)).toBe(0)
}

let world: World
beforeAll(async () => {
  world = await openWorld({ timings: { channelWaitMs: 60_000, confirmWindowMs: 60_000 } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Each case has a payer of its own, whom no other case can have paused. */
const payOnce = async (from: World = world): Promise<PaymentBody> =>
  from.pay({ payer: await openWallet(from.stack.localnet) })

const newest = ({ stack }: World): number => stack.localnet.network.latest.sequence

describe('the same settle request', () => {
  test('twice in a row gets the same answer, and pays once', async () => {
    const body = await payOnce()
    const ledger = newest(world)
    const first = await settle(world, body)
    expect(first).toMatchObject({ status: 200, success: true })
    expect(await settle(world, body)).toEqual(first)
    await expectOneTransfer(world, ledger, first.transaction)
    expect(await rowOf(world.stack, body)).toMatchObject({ state: 'succeeded', attempt: 1 })
  })

  test('with its members in another order is the same request', async () => {
    const body = await payOnce()
    const ledger = newest(world)
    const first = await settle(world, body)
    const { paymentRequirements, paymentPayload, x402Version } = body
    const terms = Object.fromEntries(Object.entries(paymentRequirements).reverse())
    const same = { paymentRequirements: terms, paymentPayload, x402Version }
    expect(await settle(world, same)).toEqual(first)
    await expectOneTransfer(world, ledger, first.transaction)
  })

  test('20 times at once gets one answer 20 times, and pays once', async () => {
    const body = await payOnce()
    const ledger = newest(world)
    const answers = await Promise.all(Array.from({ length: 20 }, () => settle(world, body)))
    expect(answers[0]).toMatchObject({ status: 200, success: true })
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    await expectOneTransfer(world, ledger, answers[0].transaction)
  })

  test('after a restart of the service gets the stored answer', async () => {
    const body = await payOnce()
    const ledger = newest(world)
    const first = await settle(world, body)
    await world.stack.restart()
    expect(await settle(world, body)).toEqual(first)
    await expectOneTransfer(world, ledger, first.transaction)
  })

  test('after a restart during the settlement ends in the transaction that was sent', async () => {
    await using world = await openWorld({ timings: { confirmWindowMs: 200, stopWaitMs: 50 } })
    const { stack } = world
    stack.hold(true)
    const body = await world.pay()
    const ledger = newest(world)
    const pending = await settle(world, body)
    expect(pending).toMatchObject({ errorReason: 'settlement_pending' })
    await stack.restart()
    const again = settle(world, body)
    await stack.localnet.closeLedger()
    const { transaction } = pending
    expect(await again).toMatchObject({ success: true, transaction })
    await expectOneTransfer(world, ledger, transaction)
  })

  test('long after the authorization has expired still gets the stored answer', async () => {
    const body = await payOnce()
    const ledger = newest(world)
    const first = await settle(world, body)
    for (let closed = 0; closed < 20; closed++) await world.stack.localnet.closeLedger()
    expect(await settle(world, body)).toEqual(first)
    await expectOneTransfer(world, ledger, first.transaction)
  })
})

test('a settled payment is no longer valid for /verify', async () => {
  const payer = await openWallet(world.stack.localnet)
  const body = await world.pay({ payer })
  await settle(world, body)
  expect((await world.stack.post('/verify', body)).body).toEqual({
    isValid: false,
    invalidReason: 'invalid_exact_stellar_payload_nonce_already_used',
    invalidMessage: "the payer's authorization has been used already",
    payer: payer.address,
  })
})

test('20 different requests at once over one authorization: one pays, all others are refused', async () => {
  const body = await payOnce()
  const ledger = newest(world)
  const bodies = Array.from({ length: 20 }, (_, index) => {
    const other = structuredClone(body)
    other.paymentPayload['resource'] = { url: `https://seller.example/${index}` }
    return other
  })
  const answers = await Promise.all(bodies.map((each) => settle(world, each)))
  const [paid, ...alsoPaid] = answers.filter(({ success }) => success)
  expect(alsoPaid).toEqual([])
  const reasons = answers.filter(({ success }) => !success).map(({ errorReason }) => errorReason)
  // On a slow machine some come before the first is stored and, waiting for its channel, are too many.
  const asBusy = 'settle_exact_stellar_channel_unavailable'
  const conflicts = reasons.filter((reason) => reason !== asBusy)
  expect(new Set(conflicts)).toEqual(new Set(['settle_exact_stellar_idempotency_conflict']))
  await expectOneTransfer(world, ledger, paid.transaction)
})

test('30 payments over 3 channels all finish, with one transfer each', async () => {
  const { stack, seller } = world
  const { network } = stack.localnet
  const payer = await openWallet(stack.localnet)
  const paid = usdcOf(network, seller.address) ?? 0n
  const expirationLedger = network.latest.sequence + 50
  const bodies = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      world.pay({
        payer,
        amount: 1_000n + BigInt(index),
        expirationLedger,
        maxTimeoutSeconds: 300,
      }),
    ),
  )
  const ledger = network.latest.sequence
  const answers = await Promise.all(bodies.map((body) => settle(world, body)))
  expect(answers.filter(({ success }) => !success)).toEqual([])

  const applied = transactionsAfter(network, ledger)
  expect(new Set(applied.map(({ hash }) => hash))).toEqual(
    new Set(answers.map(({ transaction }) => transaction)),
  )
  const amounts = applied.flatMap(transfersOf).map(({ amount }) => Number(amount))
  expect(amounts.toSorted((a, b) => a - b)).toEqual(bodies.map((_, index) => 1_000 + index))
  expect(usdcOf(network, seller.address)).toBe(paid + 30_435n)
  expect(usdcOf(network, payer.address)).toBe(100_000_000n - 30_435n)
  const rows = await Promise.all(bodies.map((body) => rowOf(stack, body)))
  expect(new Set(rows.map((row) => row?.recorded?.channel)).size).toBe(3)
  expect(await leasedChannels(stack)).toBe(0)
})

describe('a payment is made once and answered correctly when the endpoint', () => {
  let proxy: RpcProxy
  let proxied: World
  beforeAll(async () => {
    proxy = await startRpcProxy()
    proxied = await openWorld({ rpcThrough: proxy.forwardTo, timings: { rebroadcastMs: 400 } })
  })
  afterAll(async () => {
    await proxied?.[Symbol.asyncDispose]()
    await proxy?.[Symbol.asyncDispose]()
  })

  test.each<{ when: string; method: string; fault: RpcFault }>([
    {
      when: 'accepts it and the answer is lost',
      method: 'sendTransaction',
      fault: { kind: 'lose answer' },
    },
    {
      when: 'hangs up before it accepts it',
      method: 'sendTransaction',
      fault: { kind: 'hang up' },
    },
    {
      when: 'claims to have accepted it and did not',
      method: 'sendTransaction',
      fault: { kind: 'swallow' },
    },
    {
      when: 'fails to accept it',
      method: 'sendTransaction',
      fault: { kind: 'status', status: 500 },
    },
    {
      when: 'is too busy to accept it',
      method: 'sendTransaction',
      fault: {
        kind: 'rewrite',
        change: (result) => ({ ...result, status: 'TRY_AGAIN_LATER' }),
      },
    },
    {
      when: 'has it already',
      method: 'sendTransaction',
      fault: { kind: 'rewrite', change: (result) => ({ ...result, status: 'DUPLICATE' }) },
    },
    { when: 'cannot look it up', method: 'getTransaction', fault: { kind: 'hang up' } },
    {
      when: 'answers unreadably about it',
      method: 'getTransaction',
      fault: { kind: 'garbage', text: '{"result":{"status":"SUCCESS"}}' },
    },
    {
      when: 'does not return the latest ledger',
      method: 'getLatestLedger',
      fault: { kind: 'hang up' },
    },
  ])('$when', async ({ method, fault }) => {
    const body = await payOnce(proxied)
    const ledger = newest(proxied)
    proxy.fail(method, fault, 1)
    const answer = await settle(proxied, body)
    expect(answer).toMatchObject({ status: 200, success: true })
    await expectOneTransfer(proxied, ledger, answer.transaction)
    expect(await rowOf(proxied.stack, body)).toMatchObject({ state: 'succeeded', attempt: 1 })
  })
})

test('a second replica over the same store and keys pays nothing and gives the same answers', async () => {
  const { stack } = world
  await using replica = await stack.replica()
  const body = await payOnce()
  stack.hold(true)
  const ledger = newest(world)
  const requests = [stack, replica, stack, replica].map((each) => each.post('/settle', body))
  await untilSent(stack, body)
  await stack.localnet.closeLedger()
  stack.hold(false)
  const answers = await Promise.all(requests)
  expect(answers[0]?.body).toMatchObject({ success: true })
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  await expectOneTransfer(world, ledger, answers[0]?.body.transaction)
})

test('a payer without money is refused each time, and once funded pays once', async () => {
  const { localnet } = world.stack
  const payer = await openWallet(localnet, 1n)
  const body = await world.pay({ payer })
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await settle(world, body)).toMatchObject({ errorReason: 'insufficient_funds' })
  }
  await localnet.pay({ address: payer.address, asset: 'USDC', amount: 100_000n })
  const ledger = newest(world)
  const answer = await settle(world, body)
  expect(answer).toMatchObject({ success: true })
  await expectOneTransfer(world, ledger, answer.transaction)
})
