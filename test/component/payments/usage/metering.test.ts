import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { usdFromDecimal } from '../../../../src/platform/core/amounts/usd.ts'
import { usdc } from '../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import { ALICE, BOB, openUsageWorld, subjectOf, type UsageWorld } from './usage-world.ts'

/* Interface, Authentication 7: what is counted, for whom, as what. */

const row = (outcome: string, overrides: object = {}) => ({
  operation: ['valid', 'invalid'].includes(outcome) ? 'verify' : 'settle',
  outcome,
  asset: usdc,
  requests: 1,
  settledAmount: '0',
  ...overrides,
})

/** One service for the cases of a block. */
function sharedWorld(open: () => Promise<UsageWorld>): () => UsageWorld {
  let world: UsageWorld
  beforeAll(async () => {
    world = await open()
  })
  afterEach(() => world.forget())
  afterAll(() => world[Symbol.asyncDispose]())
  return () => world
}

describe('usage', () => {
  const shared = sharedWorld(() =>
    openUsageWorld({
      network: { channelCount: 10 },
      timings: { channelWaitMs: 60_000, claimTtlMs: 90_000, confirmWindowMs: 60_000 },
      serviceFee: usdFromDecimal('0.0000013'),
    }),
  )

  it('counts every /verify and /settle by its outcome, with volume and fee of what settled', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay({ amount: 100_001n })
    const poor = await pay({ amount: 10n ** 30n })
    await post('/verify', body, ALICE)
    await post('/verify', poor, ALICE)
    await post('/verify', poor, ALICE)
    expect((await post('/settle', body, ALICE)).body).toMatchObject({ success: true })
    expect((await post('/settle', await pay(), ALICE)).body).toMatchObject({ success: true })
    await post('/settle', poor, ALICE)
    await post('/settle', body, ALICE)

    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    const answer = await world.usageOf(ALICE)
    const common = { day, network: 'stellar:testnet' }
    expect(answer).toEqual({
      subject: subjectOf(ALICE),
      days: 31,
      serviceFee: { perSettlementUsd: '0.0000013', accruedUsd: '0.0000026' },
      usage: [
        { ...common, ...row('failure') },
        { ...common, ...row('repeat') },
        { ...common, ...row('success', { requests: 2, settledAmount: '200001' }) },
        { ...common, ...row('invalid', { requests: 2 }) },
        { ...common, ...row('valid') },
      ],
    })
    expect(await world.publicRows()).toEqual([])
  })

  it('counts 50 payments of two keys at once without losing any', async () => {
    const world = shared()
    const { stack, pay, post } = world
    await using other = await stack.replica()
    const expirationLedger = stack.localnet.network.latest.sequence + 50
    const asked = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => ({
        body: await pay({
          amount: 1_000n + BigInt(index),
          expirationLedger,
          maxTimeoutSeconds: 300,
        }),
        key: index % 5 < 2 ? ALICE : BOB,
        baseUrl: index % 2 === 0 ? stack.baseUrl : other.baseUrl,
      })),
    )
    const answers = await Promise.all(
      asked.map(({ body, key, baseUrl }) => post('/settle', body, key, baseUrl)),
    )
    expect(answers.filter(({ body }) => !body.success)).toEqual([])
    const sumOf = (caller: string) =>
      asked.reduce((sum, { key }, index) => sum + (key === caller ? 1_000 + index : 0), 0)
    const both = [stack.baseUrl, other.baseUrl]
    for (const [key, requests] of [
      [ALICE, 20],
      [BOB, 30],
    ] as const) {
      const settledAmount = String(sumOf(key))
      await world.expectUsage(key, [row('success', { requests, settledAmount })], both)
    }
    expect((await world.usageOf(ALICE)).serviceFee.accruedUsd).toBe('0.000026')
    expect((await world.usageOf(BOB)).serviceFee.accruedUsd).toBe('0.000039')
  })

  it('counts a repeat for the caller that repeats, with neither success nor volume', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay()
    const first = await post('/settle', body, ALICE)
    expect((await post('/settle', body, BOB)).body).toEqual(first.body)
    expect((await post('/settle', body)).body).toEqual(first.body)
    await world.expectUsage(ALICE, [row('success', { settledAmount: '100000' })])
    await world.expectUsage(BOB, [row('repeat')])
    expect(await world.publicRows()).toMatchObject([{ outcome: 'repeat', requests: 1 }])
  })

  it('counts a request that comes while the payment is in progress as a repeat too', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/settle', body, ALICE)),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
    await world.expectUsage(ALICE, [
      row('repeat', { requests: 9 }),
      row('success', { settledAmount: '100000' }),
    ])
  })

  it('counts another payment over the same authorization as a failure', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay()
    await post('/settle', body, ALICE)
    body.paymentPayload['resource'] = { url: 'https://seller.example/other' }
    expect((await post('/settle', body, BOB)).body).toMatchObject({
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
    await world.expectUsage(BOB, [row('failure')])
  })

  it('counts for the public without a key, and with an unknown one', async () => {
    const world = shared()
    const body = await world.pay()
    await world.post('/verify', body)
    await world.post('/verify', body, 'svc_unknown')
    expect(await world.publicRows()).toMatchObject([{ outcome: 'valid', requests: 2 }])
  })

  it('names an asset as the caller does, cut to 64 characters', async () => {
    const world = shared()
    const asset = 'C'.repeat(70)
    const body = await world.pay({ terms: { asset } })
    await world.post('/verify', body, ALICE)
    await world.expectUsage(ALICE, [row('invalid', { asset: asset.slice(0, 64) })])
  })
})

describe('a settlement that ends late', () => {
  const shared = sharedWorld(() =>
    openUsageWorld({
      timings: { confirmWindowMs: 200, followedForMs: 1_000, rebroadcastMs: 300, stopWaitMs: 100 },
      reconcileIntervalMs: 200,
    }),
  )

  it('is counted as pending until it ends, and then with its outcome', async () => {
    const world = shared()
    const { stack, pay, post } = world
    stack.hold(true)
    const body = await pay()
    const pending = await post('/settle', body, ALICE)
    expect(pending.body).toMatchObject({ errorReason: 'settlement_pending' })
    await world.expectUsage(ALICE, [row('pending')])
    stack.hold(false)
    await stack.localnet.closeLedger()
    await world.expectUsage(ALICE, [row('success', { settledAmount: '100000' })])
  })

  it('is counted once, for its caller, when another replica ends it', async () => {
    const world = shared()
    const { stack, pay, post } = world
    stack.hold(true)
    const body = await pay()
    await post('/settle', body, ALICE)
    await world.expectUsage(ALICE, [row('pending')])
    await stack.restart()
    await using other = await stack.replica()
    await stack.localnet.closeLedger()
    await world.expectUsage(
      ALICE,
      [row('success', { settledAmount: '100000' })],
      [stack.baseUrl, other.baseUrl],
    )
    expect(await world.publicRows()).toEqual([])
  })
})

describe('nothing is counted', () => {
  let proxy: RpcProxy
  // The hook that is registered first runs last.
  afterAll(() => proxy[Symbol.asyncDispose]())
  const shared = sharedWorld(async () => {
    proxy = await startRpcProxy()
    return openUsageWorld({
      network: { requireApiKey: true },
      rpcThrough: (url) => proxy.forwardTo(url),
      timings: { rpcTimeoutMs: 500 },
    })
  })
  it('for a request that is no payment', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay()
    const changed = (change: object) => ({
      ...body,
      paymentRequirements: { ...body.paymentRequirements, ...change },
    })
    for (const path of ['/verify', '/settle'] as const) {
      expect((await post(path, '{', ALICE)).status).toBe(400)
      expect((await post(path, { x402Version: 2 }, ALICE)).status).toBe(400)
      expect((await post(path, body)).status).toBe(401)
      expect((await post(path, body, 'svc_unknown')).status).toBe(401)
      expect((await post(path, changed({ network: 'stellar:pubnet' }), ALICE)).status).toBe(200)
      expect((await post(path, changed({ scheme: 'upto' }), ALICE)).status).toBe(200)
    }
    expect((await world.usageOf(ALICE)).usage).toEqual([])
    expect(await world.publicRows()).toEqual([])
  })

  it('for a request that is answered with HTTP 503', async () => {
    const world = shared()
    const { pay, post } = world
    const body = await pay()
    proxy.fail('simulateTransaction', { kind: 'status', status: 500 })
    expect((await post('/verify', body, ALICE)).status).toBe(503)
    expect((await post('/settle', body, ALICE)).status).toBe(503)
    proxy.heal()
    expect((await world.usageOf(ALICE)).usage).toEqual([])
  })
})
