/** Payments that a stranger makes who saw our envelope: they are made, and the envelope fails. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { accountEntry, transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { addressValue, i128, type PaymentBody, usdc } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { StackOptions } from '../../support/stack.ts'
import { consume, spendNonce } from './consume.ts'
import { leasedChannels, rowOf, untilState } from './store-view.ts'
import { openWorld, type World } from './world.ts'

interface Opened {
  readonly proxy: RpcProxy
  readonly world: World
}

async function open(timings: StackOptions['timings'] = {}, network: StackOptions['network'] = {}) {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await startRpcProxy())
  const options = {
    rpcThrough: proxy.forwardTo,
    reconcileIntervalMs: 100,
    network,
    timings: { rebroadcastMs: 200, stopWaitMs: 50, ...timings },
  }
  const world = opened.use(await openWorld(options))
  const resources = opened.move()
  return { proxy, world, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Settles while every envelope is lost; then `change` spends the nonce, and the envelopes arrive. */
async function overtaken<T>(
  { proxy, world: { stack } }: Opened,
  body: PaymentBody,
  change: () => Promise<T>,
) {
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const settling = stack.post('/settle', body)
  await untilState(stack, body, 'submitted')
  const by = await change()
  proxy.heal('sendTransaction')
  return { by, answer: (await settling).body }
}

const byStranger = (opened: Opened, body: PaymentBody) =>
  overtaken(opened, body, () => consume(opened.world.stack.localnet, body))

describe('a payment that a stranger makes with the authorization of our envelope', () => {
  test('has succeeded with the transaction of the stranger, for every repeat', async () => {
    await using opened = await open()
    const { world } = opened
    const { stack } = world
    const { network } = stack.localnet
    const before = { balance: accountEntry(network, world.sponsor).balance, ...network.latest }
    const body = await world.pay()
    const { by, answer } = await byStranger(opened, body)

    expect(answer).toEqual({
      success: true,
      transaction: by,
      network: 'stellar:testnet',
      payer: world.payer.address,
    })
    const fee = before.balance - accountEntry(network, world.sponsor).balance
    expect(fee).toBeGreaterThan(0n)
    const { ledger } = network.transaction(by) ?? {}
    const outcome = { response: answer, ledger, feeCharged: fee }
    expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded', outcome })
    const { text } = await stack.metrics.expose()
    expect(text).toContain(
      `svc_failed_settlement_fees_stroops_total{network="stellar:testnet",cause="nonce_already_used"} ${fee}`,
    )
    const applied = transactionsAfter(network, before.sequence)
    expect(
      applied.flatMap(transfersOf).filter(({ to }) => to === world.seller.address),
    ).toHaveLength(1)

    expect((await stack.post('/settle', body)).body).toEqual(answer)
    await using replica = await stack.replica()
    expect((await replica.post('/settle', body)).body).toEqual(answer)
    const other = structuredClone(body)
    other.paymentPayload['resource'] = { url: 'https://seller.example/other' }
    expect((await stack.post('/settle', other)).body).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
    expect(await leasedChannels(stack)).toBe(0)
  })

  test('has succeeded also when no ledger includes our envelope', async () => {
    await using opened = await open({ validitySeconds: 40 })
    const { world } = opened
    const { localnet } = world.stack
    const body = await world.pay()
    const { by, answer } = await overtaken(opened, body, async () => {
      const hash = await consume(localnet, body)
      const { maxTime = 0 } = (await rowOf(world.stack, body))?.recorded ?? {}
      while (localnet.network.latest.closeTime <= maxTime) await localnet.closeLedger()
      return hash
    })
    expect(answer).toMatchObject({ success: true, transaction: by })
    expect(await rowOf(world.stack, body)).toMatchObject({
      state: 'succeeded',
      outcome: { feeCharged: 0n },
    })
  })

  test('never pauses its payer', async () => {
    await using opened = await open()
    const { world } = opened
    for (let n = 0; n < 3; n++) {
      const { answer } = await byStranger(opened, await world.pay())
      expect(answer).toMatchObject({ success: true })
    }
    expect((await world.stack.post('/settle', await world.pay())).body).toMatchObject({
      success: true,
    })
  })

  test('is not final while the ledgers cannot be searched', async () => {
    await using opened = await open({ confirmWindowMs: 1_000, duplicateWaitMs: 30_000 })
    const { proxy, world } = opened
    const { stack } = world
    proxy.fail('getEvents', { kind: 'status', status: 500 })
    const body = await world.pay()
    const { by, answer } = await byStranger(opened, body)
    expect(answer).toMatchObject({ success: false, errorReason: 'settlement_pending' })
    await expect.poll(() => proxy.count('getEvents'), { timeout: 120_000 }).toBeGreaterThan(3)
    expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })

    proxy.heal('getEvents')
    expect((await stack.post('/settle', body)).body).toMatchObject({
      success: true,
      transaction: by,
    })
  })

  test('is found by the replica that takes it over', async () => {
    await using opened = await open({ confirmWindowMs: 500, followedForMs: 500 })
    const { proxy, world } = opened
    const { stack } = world
    proxy.fail('getEvents', { kind: 'hang' })
    const body = await world.pay()
    const { by } = await byStranger(opened, body)
    await expect.poll(() => proxy.count('getEvents'), { timeout: 120_000 }).toBeGreaterThan(0)
    expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })

    proxy.heal('getEvents')
    await stack.restart()
    await untilState(stack, body, 'succeeded')
    const { outcome } = (await rowOf(stack, body)) ?? {}
    expect(outcome?.response).toMatchObject({ success: true, transaction: by })
    expect((await stack.post('/settle', body)).body).toEqual(outcome?.response)
  })

  test('is refused when it was made before anything of ours was sent', async () => {
    await using world = await openWorld()
    const body = await world.pay()
    await consume(world.stack.localnet, body)
    expect((await world.stack.post('/settle', body)).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_nonce_already_used',
      transaction: '',
    })
    expect(await rowOf(world.stack, body)).toBeUndefined()
  })
})

describe('an authorization that outlives our envelope', () => {
  /** Its envelope is lost and can be on no ledger any more; the authorization is valid for five minutes. */
  async function outlived(opened: Opened) {
    const { proxy, world } = opened
    const { stack } = world
    const { network } = stack.localnet
    const expirationLedger = network.latest.sequence + 60
    const body = await world.pay({ maxTimeoutSeconds: 300, expirationLedger })
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const settling = stack.post('/settle', body)
    await untilState(stack, body, 'submitted')
    const { recorded } = (await rowOf(stack, body)) ?? {}
    while (network.latest.closeTime <= (recorded?.maxTime ?? 0)) await stack.localnet.closeLedger()
    const { body: answer } = await settling
    proxy.heal('sendTransaction')
    return { body, answer, expirationLedger }
  }
  const openOne = () => open({ validitySeconds: 40 }, { channelCount: 1 })

  test('leaves its payment pending, and its channel and the budget to others', async () => {
    await using opened = await openOne()
    const { world } = opened
    const { stack } = world
    const { body, answer } = await outlived(opened)
    expect(answer).toMatchObject({ success: false, errorReason: 'settlement_pending' })
    expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })
    expect(await leasedChannels(stack)).toBe(0)
    const sum = sql<{ fees: string }>`select sum(fees) as fees from fee_totals where caller = ''`
    expect((await sum.execute(stack.store.db)).rows).toEqual([{ fees: '0' }])
    expect((await stack.post('/settle', await world.pay())).body).toMatchObject({ success: true })
    expect((await stack.post('/settle', body)).body).toEqual(answer)
  })

  test('has paid when a stranger uses it before it ends', async () => {
    await using opened = await openOne()
    const { stack } = opened.world
    const { body } = await outlived(opened)
    const transaction = await consume(stack.localnet, body)
    const { body: answer } = await stack.post('/settle', body)
    expect(answer).toMatchObject({ success: true, transaction })
    expect(await rowOf(stack, body)).toMatchObject({
      state: 'succeeded',
      outcome: { feeCharged: 0n },
    })
    expect((await stack.post('/settle', body)).body).toEqual(answer)
  })

  test('ends its payment as expired in the background, when it has ended itself', async () => {
    await using opened = await openOne()
    const { stack } = opened.world
    const { network } = stack.localnet
    const { body, expirationLedger } = await outlived(opened)
    while (network.latest.sequence < expirationLedger) await stack.localnet.closeLedger()
    await sql`update settlements set due_at = now() where state = 'submitted'`.execute(
      stack.store.db,
    )
    await untilState(stack, body, 'expired')
    expect((await stack.post('/settle', body)).body).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_expired',
    })
  })
})

test('a nonce that its payer uses for another transfer makes no payment, and pauses nobody', async () => {
  await using opened = await open()
  const { world } = opened
  const { payer, seller, stack } = world
  const own = addressValue(payer.address)
  for (let n = 0; n < 3; n++) {
    const body = await world.pay()
    const call = { contract: usdc, functionName: 'transfer', args: [own, own, i128(100_000n)] }
    const parties = { payer, payTo: seller.address, call }
    const { answer } = await overtaken(opened, body, () => spendNonce(world, body, parties))
    expect(answer).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
    })
    expect(await rowOf(stack, body)).toMatchObject({ state: 'failed' })
  }
  expect((await stack.post('/settle', await world.pay())).body).toMatchObject({ success: true })
})
