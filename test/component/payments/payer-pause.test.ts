/** A payer whose settlements fail on the ledger by its own fault is paused. */
import { xdr } from '@stellar/stellar-sdk'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { rewrite } from '../../support/ledger-surgery.ts'
import { transactionsAfter, trustlineKey } from '../../support/ledger-view.ts'
import { openWallet, type PaymentBody, type Wallet } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { untilState } from './store-view.ts'
import { openWorld, type World } from './world.ts'

async function open(options: Parameters<typeof openWorld>[0] = {}) {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await startRpcProxy())
  const world = opened.use(
    await openWorld({ rpcThrough: proxy.forwardTo, timings: { rebroadcastMs: 200 }, ...options }),
  )
  const resources = opened.move()
  return { proxy, world, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Settles all, while no envelope arrives until `change` has made them fail on the ledger. */
async function failAll(
  { proxy, world: { stack } }: { proxy: RpcProxy; world: World },
  bodies: readonly PaymentBody[],
  change: () => Promise<unknown>,
): Promise<void> {
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const settling = Promise.all(bodies.map((body) => stack.post('/settle', body)))
  for (const body of bodies) await untilState(stack, body, 'submitted')
  await change()
  proxy.heal('sendTransaction')
  const reasons = (await settling).map(({ body }) => body.errorReason)
  expect(reasons).toEqual(bodies.map(() => 'settle_exact_stellar_transaction_failed'))
}

const setRefusing = ({ deployer }: World, { address }: Wallet, refusing: boolean) =>
  deployer.call(address, 'set_refusing', xdr.ScVal.scvBool(refusing))

/** As many failures by a smart account that changes its mind; afterwards it accepts again. */
async function flip(opened: { proxy: RpcProxy; world: World }, payer: Wallet, failures: number) {
  const { world } = opened
  const pay = () => world.pay({ payer })
  const bodies = await Promise.all(Array.from({ length: failures }, pay))
  await failAll(opened, bodies, () => setRefusing(world, payer, true))
  await setRefusing(world, payer, false)
  return bodies
}

/** As if the store's failures had happened that much earlier. */
async function letPass({ stack: { store } }: World, seconds: number): Promise<void> {
  const trigger = (verb: 'disable' | 'enable') =>
    sql.raw(`alter table settlements ${verb} trigger recorded_rows_never_change`).execute(store.db)
  await trigger('disable')
  await sql`update settlements
    set finished_at = finished_at - ${seconds}::integer * interval '1 second'`.execute(store.db)
  await trigger('enable')
}

const paused = ({ address }: Wallet) => ({
  success: false,
  errorReason: 'settle_exact_stellar_payer_paused',
  errorMessage: expect.stringMatching(
    new RegExp(
      `^payments of ${address} failed on the ledger by its own fault; it is paused for \\d+ s more$`,
    ),
  ),
  transaction: '',
  payer: address,
})

describe('a payer that fails on the ledger three times by its own fault', () => {
  test('is refused without a simulation until the pause is over; others are not', async () => {
    await using opened = await open()
    const { proxy, world } = opened
    const { stack } = world
    const payer = await world.deployer.smartAccount()
    const repeated = await world.pay({ payer })
    const settled = await stack.post('/settle', repeated)
    expect(settled.body).toMatchObject({ success: true })
    const failed = await flip(opened, payer, 3)

    const refused = await world.pay({ payer })
    expect((await stack.post('/verify', refused)).body).toMatchObject({
      isValid: false,
      invalidReason: 'settle_exact_stellar_payer_paused',
      invalidMessage: paused(payer).errorMessage,
      payer: payer.address,
    })
    expect((await stack.post('/verify', failed[0])).body).toMatchObject({
      isValid: false,
      invalidReason: 'settle_exact_stellar_transaction_failed',
    })
    expect((await stack.post('/settle', refused)).body).toMatchObject(paused(payer))
    const simulated = proxy.count('simulateTransaction')
    expect((await stack.post('/settle', refused)).body).toMatchObject(paused(payer))
    expect(proxy.count('simulateTransaction')).toBe(simulated)
    expect((await stack.post('/settle', repeated)).body).toEqual(settled.body)
    expect((await stack.post('/settle', await world.pay())).body).toMatchObject({ success: true })
    const { text } = await stack.metrics.expose()
    expect(text).toContain('svc_payer_refusals_total{network="stellar:testnet",rule="paused"} 2')

    await letPass(world, 30)
    expect((await stack.post('/settle', refused)).body).toMatchObject(paused(payer))
    await letPass(world, 31)
    expect((await stack.post('/verify', refused)).body).toMatchObject({ isValid: true })
    expect((await stack.post('/settle', refused)).body).toMatchObject({ success: true })
  })

  test('is refused, and no fault of the service, when its code uses more than in the simulation', async () => {
    await using opened = await open()
    const { world } = opened
    const { stack } = world
    const payer = await world.deployer.smartAccount('oncePerLedger')
    const bodies = await Promise.all([1, 2, 3].map(() => world.pay({ payer })))
    // Its entry is longer afterwards than the transactions may write.
    await failAll(opened, bodies, () => setRefusing(world, payer, false))
    const codes = await sql<{ code: string }>`
      select failure_code as code from settlements`.execute(stack.store.db)
    expect(codes.rows).toEqual(bodies.map(() => ({ code: 'resource_limit_exceeded' })))
    const refused = await stack.post('/settle', await world.pay({ payer }))
    expect(refused.body).toMatchObject(paused(payer))
    const { text } = await stack.metrics.expose()
    expect(text).toContain(
      'svc_settlement_failures_total{network="stellar:testnet",reason="resource_limit_exceeded"} 0',
    )
  })

  test('is refused when it has waited for a channel since before the pause', async () => {
    const pause = { failures: 1, windowSeconds: 300, pauseSeconds: 60 }
    await using opened = await open({
      network: { channelCount: 1, payers: { limitToFunds: true, pause } },
      timings: { rebroadcastMs: 200, channelWaitMs: 60_000, claimTtlMs: 90_000 },
    })
    const { world } = opened
    const { stack, deployer } = world
    const payer = await deployer.smartAccount()
    const [failing, waiting] = await Promise.all([world.pay({ payer }), world.pay({ payer })])
    const waited = Promise.withResolvers<unknown>()
    const ledger = stack.localnet.network.latest.sequence
    await failAll(opened, [failing], async () => {
      stack.post('/settle', waiting).then(({ body }) => waited.resolve(body), waited.reject)
      await untilState(stack, waiting, 'claimed')
      await setRefusing(world, payer, true)
    })
    expect(await waited.promise).toMatchObject(paused(payer))
    const sent = transactionsAfter(stack.localnet.network, ledger)
    expect(sent.filter(({ successful }) => !successful)).toHaveLength(1)
  })

  test('is refused by every replica', async () => {
    await using opened = await open()
    const { world } = opened
    await using replica = await world.stack.replica()
    const payer = await world.deployer.smartAccount()
    await flip(opened, payer, 3)
    const body = await world.pay({ payer })
    expect((await replica.post('/settle', body)).body).toMatchObject(paused(payer))
  })

  test('is paused again by the next failure within the window', async () => {
    await using opened = await open()
    const { world } = opened
    const payer = await world.deployer.smartAccount()
    await flip(opened, payer, 3)
    await letPass(world, 61)
    await flip(opened, payer, 1)
    const body = await world.pay({ payer })
    expect((await world.stack.post('/settle', body)).body).toMatchObject(paused(payer))
  })
})

describe('a payer is not paused', () => {
  test('by two failures', async () => {
    await using opened = await open()
    const { world } = opened
    const payer = await world.deployer.smartAccount()
    await flip(opened, payer, 2)
    const body = await world.pay({ payer })
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  test('by failures that are the fault of the recipient or its issuer', async () => {
    await using opened = await open()
    const { world } = opened
    const { localnet } = world.stack
    const { address: payTo } = await openWallet(localnet)
    const pay = () => world.pay({ payTo })
    const bodies = await Promise.all([pay(), pay(), pay()])
    await failAll(opened, bodies, async () =>
      rewrite(localnet.network, trustlineKey(payTo), (data) => {
        if (data.type === 'trustline') Object.assign(data.trustLine, { flags: 0 })
      }),
    )
    const body = await world.pay()
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  test('by failures whose cause no endpoint reports', async () => {
    await using opened = await open()
    const { world, proxy } = opened
    const withoutEvents = ({ diagnosticEventsXdr: _, ...result }: Record<string, unknown>) => result
    proxy.fail('getTransaction', { kind: 'rewrite', change: withoutEvents })
    const payer = await world.deployer.smartAccount()
    await flip(opened, payer, 3)
    const body = await world.pay({ payer })
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  test('when no number of failures is set', async () => {
    await using opened = await open({ network: { payers: { limitToFunds: true } } })
    const { world } = opened
    const payer = await world.deployer.smartAccount()
    await flip(opened, payer, 3)
    const body = await world.pay({ payer })
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })
})
