/** An id that a buyer gives a payment belongs to one payload: one purchase is paid for once (x402 extension `payment-identifier`). */
import { HTTPFacilitatorClient } from '@x402/core/server'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import { generatePaymentId } from '@x402/extensions/payment-identifier'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { acceptedKeys } from '../../support/api-keys.ts'
import { Deployer } from '../../support/contracts.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import {
  draftPayment,
  openWallet,
  type PaymentBody,
  type PaymentPlan,
} from '../../support/payments.ts'
import { refuseToSign } from '../../support/refuse-to-sign.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Replica } from '../../support/stack.ts'
import { settleOf } from '../../support/upto-payments.ts'
import {
  askWithKey,
  expectConflictAt,
  identified,
  partsOf,
  type Service,
  settleAt,
} from './identified-payments.ts'
import { latest, openUptoWorld, type UptoWorld } from './schemes/upto/upto-world.ts'
import { rowOf, untilSent, untilState } from './store-view.ts'

const KEY = 'svc_seller'
/** The seller's next key. */
const NEXT_KEY = 'svc_seller_next'

let proxy: RpcProxy
let world: UptoWorld
let replica: Replica
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({
    rpcThrough: proxy.forwardTo,
    keys: acceptedKeys(KEY, NEXT_KEY),
    timings: { validitySeconds: 40, rebroadcastMs: 200 },
  })
  replica = await world.stack.replica()
})
afterEach(() => {
  vi.restoreAllMocks()
  proxy.heal()
  world.stack.hold(false)
})
afterAll(async () => {
  await replica?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

/** A payment of its own each time, by a payer whom no other case has paused. */
const pay = async (id: string, plan: Partial<PaymentPlan> = {}): Promise<PaymentBody> =>
  identified(await world.pay({ payer: await openWallet(world.stack.localnet), ...plan }), id)

/** Two payments of one buyer for one purchase. */
async function twoOf(
  id: string,
  plan: Partial<PaymentPlan> = {},
): Promise<[PaymentBody, PaymentBody]> {
  const payer = await openWallet(world.stack.localnet)
  return [await pay(id, { payer, ...plan }), await pay(id, { payer, ...plan })]
}

const settle = (body: PaymentBody, service: Service = world.stack) => settleAt(service, body)

const withKey = (path: '/verify' | '/settle', body: PaymentBody, key = KEY) =>
  askWithKey(world.stack.baseUrl + path, body, key)

/** Expects the conflict from both routes of every replica. @param fate of the first payment */
async function expectConflict(body: PaymentBody, fate: RegExp): Promise<void> {
  for (const service of [world.stack, replica]) await expectConflictAt(service, body, fate)
  expect(await rowOf(world.stack, body)).toBeUndefined()
}

/** Lets every replica know the latest ledger, as its next poll would. */
async function readTime(): Promise<void> {
  for (const { facilitator } of [world.stack, replica]) {
    for (const { time, rpc } of facilitator.networks.values()) {
      await time.read(rpc, new AbortController().signal)
    }
  }
}

/** Expects that the work makes one payment, in the transaction that it returns. */
async function expectOnePayment(work: () => Promise<string>): Promise<void> {
  const ledger = latest(world)
  const hash = await work()
  await world.stack.localnet.closeLedger()
  const applied = transactionsAfter(world.stack.localnet.network, ledger)
  expect(applied.filter((each) => transfersOf(each).length > 0).map((each) => each.hash)).toEqual([
    hash,
  ])
}

test('/supported names the extension', async () => {
  expect((await world.stack.get('/supported')).body.extensions).toEqual(['payment-identifier'])
})

describe('the same payload', () => {
  test('gets the answer of the first, however often, from any replica, and after its expiry', async () => {
    const body = await pay(generatePaymentId())
    await expectOnePayment(async () => {
      expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
      const first = await settle(body)
      expect(first).toMatchObject({ status: 200, success: true })
      expect(await settle(body)).toEqual(first)
      expect(await settle(body, replica)).toEqual(first)
      await world.stack.restart()
      expect(await settle(body)).toEqual(first)
      for (let closed = 0; closed < 20; closed++) await world.stack.localnet.closeLedger()
      expect(await settle(body)).toEqual(first)
      expect(await settle(body, replica)).toEqual(first)
      return first.transaction
    })
  })

  test('waits for the first while that is under way', async () => {
    const body = await pay(generatePaymentId())
    world.stack.hold(true)
    await expectOnePayment(async () => {
      const settling = [settle(body), settle(body, replica)]
      await untilSent(world.stack, body)
      await world.stack.localnet.closeLedger()
      world.stack.hold(false)
      const [first, second] = await Promise.all(settling)
      expect(first).toMatchObject({ status: 200, success: true })
      expect(second).toEqual(first)
      return first.transaction
    })
  })
})

describe('another payload with the id', () => {
  test('is refused while the first is pending, and once it is settled', async () => {
    const until = latest(world) + 12
    const [body, other] = await twoOf(generatePaymentId(), { expirationLedger: until })
    world.stack.hold(true)
    await expectOnePayment(async () => {
      const settling = settle(body)
      await untilSent(world.stack, body)
      await expectConflict(
        other,
        new RegExp(
          `is pending until ledger ${until} has closed, about 20\\S+Z, send that one again`,
        ),
      )
      await world.stack.localnet.closeLedger()
      world.stack.hold(false)
      const first = await settling
      expect(first).toMatchObject({ success: true })
      const settled = new RegExp(`is settled in transaction ${first.transaction}$`)
      await expectConflict(other, settled)
      await world.stack.restart()
      await expectConflict(other, settled)
      return first.transaction
    })
  })

  test('is refused once the first has expired, and says so', async () => {
    const id = generatePaymentId()
    const { localnet } = world.stack
    const body = identified(await world.upto(), id)
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const settling = settle(settleOf(body, 30_000n))
    await untilState(world.stack, body, 'submitted')
    const maxTime = (await rowOf(world.stack, body))?.recorded?.maxTime ?? 0
    while (localnet.network.latest.closeTime <= maxTime) await localnet.closeLedger()
    expect(await settling).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_expired',
    })
    await expectConflict(
      identified(await world.upto(), id),
      /expired unpaid, use a new identifier$/,
    )
  })

  test('is refused although nothing was sent for the first', async () => {
    const [body, other] = await twoOf(generatePaymentId())
    const { facilitator, localnet } = world.stack
    const signing = refuseToSign(facilitator)
    expect(await settle(body)).toMatchObject({
      errorReason: 'settle_exact_stellar_fee_bump_signing_failed',
    })
    signing.mockRestore()
    await expectConflict(other, /is pending until ledger \d+ has closed/)
    for (let closed = 0; closed < 20; closed++) await localnet.closeLedger()
    await readTime()
    await expectConflict(other, /expired before anything was sent, use a new identifier$/)
  })

  test('over the authorization of the first is refused too', async () => {
    const body = await pay(generatePaymentId())
    const first = await settle(body)
    const other = structuredClone(body)
    other.paymentPayload['resource'] = { url: 'https://seller.example/another-report' }
    expect(await settle(other)).toMatchObject({
      status: 409,
      errorReason: 'payment_identifier_conflict',
      errorMessage: expect.stringContaining(first.transaction),
    })
  })

  test('at another replica at the same time: one is settled', async () => {
    const [body, other] = await twoOf(generatePaymentId())
    await expectOnePayment(async () => {
      const answers = await Promise.all([settle(body), settle(other, replica)])
      const paid = answers.filter(({ success }) => success)
      expect(paid).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(1)
      return paid[0].transaction
    })
  })

  test('in the same process at the same time: one is settled', async () => {
    const bodies = await twoOf(generatePaymentId())
    await expectOnePayment(async () => {
      const answers = await Promise.all(bodies.map((body) => settle(body)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const paid = answers.find(({ success }) => success)
      return paid.transaction
    })
  })

  test('in the scheme upto is refused; the first may be settled for less than its ceiling', async () => {
    const id = generatePaymentId()
    const body = identified(await world.upto(), id)
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    const paid = await settle(settleOf(body, 30_000n))
    expect(paid).toMatchObject({ success: true, amount: '30000' })
    expect(await settle(settleOf(body, 30_000n))).toEqual(paid)
    expect(await settle(settleOf(body, 40_000n))).toMatchObject({
      status: 200,
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
    expect((await world.stack.post('/verify', body)).body).toMatchObject({
      invalidReason: 'invalid_upto_stellar_payload_authorization_used',
    })
    const other = identified(await world.upto(), id)
    await expectConflict(other, new RegExp(`is settled in transaction ${paid.transaction}$`))
    const exact = identified(await world.pay(), id)
    await expectConflict(exact, new RegExp(`is settled in transaction ${paid.transaction}$`))
  })
})

describe('the id of a buyer', () => {
  test('is not taken by another payer, nor from another payee of another caller', async () => {
    const id = generatePaymentId()
    const payer = await openWallet(world.stack.localnet)
    const [payee, other] = [
      await openWallet(world.stack.localnet, 1n),
      await openWallet(world.stack.localnet, 1n),
    ]
    for (const plan of [{}, { payer }, { payer, payTo: payee.address }]) {
      expect(await settle(await pay(id, plan))).toMatchObject({ status: 200, success: true })
    }
    const keyed = await pay(id, { payer, payTo: other.address })
    expect((await withKey('/verify', keyed)).body).toMatchObject({ isValid: true })
    expect((await withKey('/settle', keyed)).body).toMatchObject({ success: true })
  })

  test('stays with its payload when the seller changes its key, or names another payee', async () => {
    const id = generatePaymentId()
    const payer = await openWallet(world.stack.localnet)
    const payee = await openWallet(world.stack.localnet, 1n)
    const first = await pay(id, { payer })
    const paid = await withKey('/settle', first)
    expect(paid.body).toMatchObject({ success: true })
    const [again, elsewhere] = [
      await pay(id, { payer }),
      await pay(id, { payer, payTo: payee.address }),
    ]
    for (const path of ['/verify', '/settle'] as const) {
      expect(await withKey(path, again, NEXT_KEY)).toMatchObject({ status: 409 })
      expect(await withKey(path, elsewhere)).toMatchObject({ status: 409 })
    }
    expect(await settle(again)).toMatchObject({ status: 409 })
    expect(await withKey('/settle', first, NEXT_KEY)).toEqual(paid)
  })

  test('hinders no repeat through a key whose other payment has it', async () => {
    const id = generatePaymentId()
    const payer = await openWallet(world.stack.localnet)
    const payee = await openWallet(world.stack.localnet, 1n)
    const first = await pay(id, { payer })
    const paid = await world.stack.post('/settle', first)
    expect(paid.body).toMatchObject({ success: true })
    const other = await pay(id, { payer, payTo: payee.address })
    expect((await withKey('/settle', other)).body).toMatchObject({ success: true })
    expect(await withKey('/settle', first)).toEqual({ status: 200, body: paid.body })
  })

  test('is not bound by a payment that is refused', async () => {
    const id = generatePaymentId()
    const payer = await openWallet(world.stack.localnet)
    const tooMuch = await pay(id, { payer, amount: 200_000_000n })
    expect(await settle(tooMuch)).toMatchObject({ errorReason: 'insufficient_funds' })
    expect(await settle(await pay(id, { payer }))).toMatchObject({ success: true })
  })

  test('that has another form is refused by name', async () => {
    const body = await world.pay()
    body.paymentPayload['extensions'] = { 'payment-identifier': { info: { id: 'shorter' } } }
    const verified = await world.stack.post('/verify', body)
    const problem = expect.stringMatching(
      /^paymentPayload\.extensions\.payment-identifier\.info\.id: .*16 to 128/,
    )
    expect({ status: verified.status, ...verified.body }).toMatchObject({
      status: 400,
      isValid: false,
      invalidReason: 'invalid_payload',
      invalidMessage: problem,
    })
    expect(await settle(body)).toMatchObject({
      status: 400,
      success: false,
      errorReason: 'invalid_payload',
      errorMessage: problem,
    })
  })

  test('may be absent from the echo of the offer', async () => {
    const payer = await openWallet(world.stack.localnet)
    for (let payment = 0; payment < 2; payment++) {
      const body = identified(await world.pay({ payer }))
      expect(await settle(body)).toMatchObject({ status: 200, success: true })
    }
  })
})

describe('who cannot sign for the payer', () => {
  /** Expects of both routes what a payload gets whose id nobody has used. */
  async function expectToLearnNothing(body: PaymentBody): Promise<void> {
    const unused = identified(structuredClone(body), generatePaymentId())
    for (const path of ['/verify', '/settle'] as const) {
      const answers = [await world.stack.post(path, body), await world.stack.post(path, unused)]
      const [told, expected] = answers.map((answer) => ({ status: answer.status, ...answer.body }))
      expect(told).toEqual(expected)
      expect(told.status).toBe(200)
      expect(told.isValid ?? told.success).toBe(false)
    }
  }

  test('learns nothing of an id of an account', async () => {
    const id = generatePaymentId()
    const [payer, stranger] = [
      await openWallet(world.stack.localnet),
      await openWallet(world.stack.localnet),
    ]
    const nonce = 4_711n
    expect(await settle(await pay(id, { payer, nonce }))).toMatchObject({ success: true })
    const { signature } = (
      await draftPayment(world.stack.localnet, { payer, payTo: payer.address })
    ).credentials
    // Signed by another key, also over the authorization that was settled; and with a signature of another payment.
    await expectToLearnNothing(await pay(id, { payer, signer: stranger.key }))
    await expectToLearnNothing(await pay(id, { payer, nonce, signer: stranger.key }))
    await expectToLearnNothing(
      await pay(id, {
        payer,
        afterwards: ({ credentials }) => Object.assign(credentials, { signature }),
      }),
    )
    await expectConflict(await pay(id, { payer }), /is settled in transaction/)
  })

  test('learns nothing of an id of a smart account, whose owner is told after the simulation', async () => {
    const id = generatePaymentId()
    const payer = await new Deployer(world.stack.localnet).smartAccount()
    const stranger = await openWallet(world.stack.localnet)
    expect(await settle(await pay(id, { payer }))).toMatchObject({ success: true })
    await expectToLearnNothing(await pay(id, { payer, signer: stranger.key }))
    await expectConflict(await pay(id, { payer }), /is settled in transaction/)
  })
})

test.each([
  { release: '2.9.0', Client: HTTPFacilitatorClient },
  { release: '2.27.0', Client: NextFacilitatorClient },
])('the stock client $release reads the conflict', async ({ Client }) => {
  const client = new Client({ url: world.stack.baseUrl })
  const [body, other] = await twoOf(generatePaymentId())
  expect(await client.settle(...partsOf(body))).toMatchObject({ success: true })
  await expect(client.verify(...partsOf(other))).rejects.toMatchObject({
    statusCode: 409,
    invalidReason: 'payment_identifier_conflict',
  })
  await expect(client.settle(...partsOf(other))).rejects.toMatchObject({
    statusCode: 409,
    errorReason: 'payment_identifier_conflict',
  })
})
