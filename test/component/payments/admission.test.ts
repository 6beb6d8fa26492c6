import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PaymentBody } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Answer } from '../../support/stack.ts'
import { rowOf, untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

/** More than one channel can serve within the wait, whatever a ledger takes. */
const CROWD = 30
const WAIT_MS = 15_000

describe('while the only channel is in use and the line for it is full', () => {
  let proxy: RpcProxy
  let world: World
  let settled: { readonly body: PaymentBody; readonly answer: Answer }
  let inUse: { readonly body: PaymentBody; readonly answer: Promise<Answer> }
  let refusedOfCrowd: readonly Answer[]
  let crowd: readonly Promise<Answer>[]
  beforeAll(async () => {
    proxy = await startRpcProxy()
    world = await openWorld({
      rpcThrough: proxy.forwardTo,
      network: { channelCount: 1 },
      timings: { channelWaitMs: WAIT_MS, claimTtlMs: 60_000 },
    })
    const { stack, pay } = world
    const body = await pay()
    settled = { body, answer: await stack.post('/settle', body) }
    stack.hold(true)
    const next = await pay()
    inUse = { body: next, answer: stack.post('/settle', next) }
    await untilSent(stack, next)
    // Each settlement takes a ledger, and no authorization may expire before its turn.
    const expirationLedger = stack.localnet.network.latest.sequence + 2 * CROWD
    const plan = { maxTimeoutSeconds: 300, expirationLedger }
    const bodies = await Promise.all(Array.from({ length: CROWD }, () => pay(plan)))
    crowd = bodies.map((each) => stack.post('/settle', each))
    const answered: Answer[] = []
    for (const each of crowd) void each.then((answer) => answered.push(answer))
    const queue = stack.facilitator.networks.get('stellar:testnet')?.channelQueue
    await vi.waitFor(() => expect(answered.length + (queue?.length ?? 0)).toBe(CROWD), {
      timeout: 120_000,
    })
    refusedOfCrowd = [...answered]
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  const settle = async (body: PaymentBody) => {
    const simulations = proxy.count('simulateTransaction')
    const answer = await world.stack.post('/settle', body)
    return { answer, simulations: proxy.count('simulateTransaction') - simulations }
  }

  it('refuses a new payment without a simulation, and says when to retry', async () => {
    const { stack, pay } = world
    const body = await pay()
    const { answer, simulations } = await settle(body)
    expect(answer).toMatchObject({
      status: 200,
      body: { success: false, errorReason: 'settle_exact_stellar_channel_unavailable' },
    })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(simulations).toBe(0)
    expect(await rowOf(stack, body)).toBeUndefined()
    expect((await stack.metrics.expose()).text).toMatch(
      /svc_settlements_not_admitted_total\{network="stellar:testnet"\} [1-9]/,
    )
  })

  it('answers a repeat', async () => {
    const { answer, simulations } = await settle(settled.body)
    expect(answer.body).toEqual(settled.answer.body)
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(simulations).toBe(0)
  })

  it('has refused the rest of a crowd that came at once, and settles those that it admitted', async () => {
    const { stack } = world
    expect(refusedOfCrowd.length).toBeGreaterThan(0)
    expect(refusedOfCrowd.length).toBeLessThan(CROWD)
    stack.hold(false)
    await stack.localnet.closeLedger()
    expect((await inUse.answer).body).toMatchObject({ success: true })
    const answers = (await Promise.all(crowd)).map(({ body }) => body.errorReason ?? 'settled')
    expect(answers.filter((reason) => reason === 'settled').length).toBeGreaterThan(0)
    expect(new Set(answers)).toEqual(
      new Set(['settled', 'settle_exact_stellar_channel_unavailable']),
    )
    const { answer } = await settle(await world.pay())
    expect(answer.body).toMatchObject({ success: true })
  })
})
