import { FeeBumpTransaction, TransactionBuilder } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { refuseAttempt } from '../../../src/payments/store/settlements/transitions/refuse.ts'
import { rewrite } from '../../support/ledger-surgery.ts'
import { transactionsAfter, transfersOf, trustlineKey, usdcOf } from '../../support/ledger-view.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, type PaymentBody, type Wallet } from '../../support/payments.ts'
import type { Stack, StackOptions } from '../../support/stack.ts'
import {
  settleOf,
  type UptoPlan,
  type UptoService,
  uptoPayment,
} from '../../support/upto-payments.ts'
import { rowOf, untilSent, untilState } from './store-view.ts'

/** Verify and settle in the scheme `upto`, with the real host and the real store. */
interface World extends AsyncDisposable {
  readonly stack: Stack
  readonly service: UptoService
  readonly payer: Wallet
  readonly seller: Wallet
  pay(plan?: Partial<UptoPlan>): Promise<PaymentBody>
  settle(body: PaymentBody): Promise<Record<string, unknown>>
}

async function openUptoWorld(options: Omit<StackOptions, 'store'> = {}): Promise<World> {
  const stack = await openPaymentStack({ upto: true, ...options })
  const { localnet } = stack
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  const { body } = await stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  const service = { contract: extra.uptoContract, authority: extra.authority }
  return {
    stack,
    service,
    payer,
    seller,
    pay: (plan = {}) => uptoPayment(localnet, service, { payer, payTo: seller.address, ...plan }),
    settle: async (body) => (await stack.post('/settle', body)).body,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

const CONFLICT = 'settle_exact_stellar_idempotency_conflict'

const opened = new AsyncDisposableStack()
let world: World
beforeAll(async () => {
  world = opened.use(await openUptoWorld())
})
afterAll(() => opened.disposeAsync())

const held = ({ stack }: World, { address }: Wallet) => usdcOf(stack.localnet.network, address)

describe('a payment in the scheme upto', () => {
  it('is valid at its ceiling, and settles less', async () => {
    const { stack, service, payer, seller } = world
    const body = await world.pay()
    const [before, received] = [held(world, payer), held(world, seller)]
    const ledger = stack.localnet.network.latest.sequence
    expect((await stack.post('/verify', body)).body).toEqual({
      isValid: true,
      payer: payer.address,
    })
    expect(await rowOf(stack, body)).toBeUndefined()

    const answer = await world.settle(settleOf(body, 40_000n))
    expect(answer).toEqual({
      success: true,
      transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      network: 'stellar:testnet',
      payer: payer.address,
      amount: '40000',
    })
    expect(held(world, payer)).toBe((before ?? 0n) - 40_000n)
    expect(held(world, seller)).toBe((received ?? 0n) + 40_000n)
    const row = await rowOf(stack, body)
    expect(row).toMatchObject({
      state: 'succeeded',
      facts: { scheme: 'upto', amount: 40_000n, payTo: seller.address },
      key: { nonce: body.paymentPayload.payload['nonce'] },
    })

    const [applied, ...others] = transactionsAfter(stack.localnet.network, ledger)
    expect(others).toEqual([])
    expect(applied && transfersOf(applied)).toMatchObject([{ amount: 40_000n }])
    const bump = TransactionBuilder.fromXdr(
      row?.recorded?.envelopeXdr ?? '',
      stack.localnet.network.passphrase,
    )
    if (!(bump instanceof FeeBumpTransaction)) throw new Error('not a fee bump')
    const { source, operations, signatures } = bump.innerTransaction
    expect([bump.feeSource, source]).toEqual([stack.sponsor.address, row?.recorded?.channel])
    expect(operations.map((operation) => operation.source)).toEqual([service.authority])
    expect(signatures).toHaveLength(2)
  })

  it('settles the whole ceiling', async () => {
    expect(await world.settle(await world.pay())).toMatchObject({ success: true, amount: '100000' })
  })

  it('settles nothing: the authorization is used, and nothing moves', async () => {
    const body = await world.pay()
    const before = held(world, world.payer)
    const answer = await world.settle(settleOf(body, 0n))
    expect(answer).toMatchObject({ success: true, amount: '0' })
    expect(held(world, world.payer)).toBe(before)
    expect((await world.stack.post('/verify', body)).body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_upto_stellar_payload_authorization_used',
    })
    expect(await world.settle(settleOf(body, 1n))).toMatchObject({ errorReason: CONFLICT })
  })

  it('gets the stored answer when it is settled again, also from another replica', async () => {
    const body = settleOf(await world.pay(), 7n)
    const answer = await world.settle(body)
    expect(answer).toMatchObject({ success: true, amount: '7' })
    expect(await world.settle(body)).toEqual(answer)
    await using replica = await world.stack.replica()
    expect((await replica.post('/settle', body)).body).toEqual(answer)
  })

  it('settles one of many amounts at once, from two replicas', async () => {
    const body = await world.pay()
    await using replica = await world.stack.replica()
    const before = held(world, world.payer) ?? 0n
    const answers = await Promise.all(
      [1n, 2n, 3n, 4n, 5n, 6n].map(async (amount) => {
        const request = settleOf(body, amount)
        const answer = amount % 2n === 0n ? replica.post('/settle', request) : undefined
        return (await answer)?.body ?? world.settle(request)
      }),
    )
    const [paid, ...alsoPaid] = answers.filter(({ success }) => success)
    expect(alsoPaid).toEqual([])
    expect(held(world, world.payer)).toBe(before - BigInt(paid.amount))
    const refused = answers.filter(({ success }) => !success)
    expect(new Set(refused.map(({ errorReason }) => errorReason))).toEqual(new Set([CONFLICT]))
  })

  it('is one payment although the payer signed two entries over one nonce', async () => {
    const nonce = crypto.getRandomValues(new Uint8Array(32))
    const [one, two] = [await world.pay({ nonce }), await world.pay({ nonce, ceiling: 50_000n })]
    const before = held(world, world.payer) ?? 0n
    const answers = await Promise.all([world.settle(one), world.settle(two)])
    const paid = answers.filter(({ success }) => success)
    expect(paid).toHaveLength(1)
    expect(answers).toContainEqual(expect.objectContaining({ errorReason: CONFLICT }))
    expect(held(world, world.payer)).toBe(before - BigInt(String(paid[0]?.['amount'])))
  })

  it('leaves payments in the scheme exact without an amount', async () => {
    const { body } = await world.stack.get('/supported')
    expect(body.kinds).toEqual([
      {
        x402Version: 2,
        scheme: 'exact',
        network: 'stellar:testnet',
        extra: { areFeesSponsored: true },
      },
      {
        x402Version: 2,
        scheme: 'upto',
        network: 'stellar:testnet',
        extra: {
          areFeesSponsored: true,
          profile: 'authority-v1',
          uptoContract: world.service.contract,
          authority: world.service.authority,
        },
      },
    ])
  })

  it('that fails on the ledger names the cause', async () => {
    const { stack } = world
    const payer = await openWallet(stack.localnet)
    stack.hold(true)
    const body = settleOf(await world.pay({ payer }), 60_000n)
    const settling = world.settle(body)
    await untilSent(stack, body)
    rewrite(stack.localnet.network, trustlineKey(payer.address), (data) => {
      if (data.type === 'trustline') Object.assign(data.trustLine, { balance: 1n })
    })
    stack.hold(false)
    await stack.localnet.closeLedger()
    expect(await settling).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringMatching(/holds less USDC than the payment takes$/),
    })
  })
})

test('the reconciler answers with the amount that was settled', async () => {
  await using other = await openUptoWorld({
    timings: { confirmWindowMs: 200, followedForMs: 300, stopWaitMs: 50 },
    reconcileIntervalMs: 100,
  })
  const { stack } = other
  stack.hold(true)
  const body = settleOf(await other.pay(), 30_000n)
  expect(await other.settle(body)).toMatchObject({ errorReason: 'settlement_pending' })
  await stack.restart()
  stack.hold(false)
  await stack.localnet.closeLedger()
  await untilState(stack, body, 'succeeded')
  const answer = await other.settle(body)
  expect(answer).toMatchObject({ success: true, amount: '30000' })
  expect((await rowOf(stack, body))?.outcome?.response).toEqual(answer)
})

test('an attempt that was refused and landed after all is answered with its amount, never another', async () => {
  const { stack, payer } = world
  const before = held(world, payer) ?? 0n
  const body = await world.pay()
  const request = settleOf(body, 20_000n)
  stack.hold(true)
  const settling = world.settle(request)
  await untilSent(stack, body)
  const row = await rowOf(stack, body)
  const refusal = { attempt: 1, resultCode: 'txInsufficientFee', recordedWithinMs: 60_000 }
  expect(row && (await refuseAttempt(stack.store.db, { key: row.key, ...refusal }))).toBe(true)
  expect(await settling).toMatchObject({ success: false, transaction: '' })
  expect(await world.settle(settleOf(body, 10_000n))).toMatchObject({ errorReason: CONFLICT })
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect(await world.settle(settleOf(body, 10_000n))).toMatchObject({ errorReason: CONFLICT })
  expect(await world.settle(request)).toMatchObject({ success: true, amount: '20000' })
  expect(held(world, payer)).toBe(before - 20_000n)
  expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded', facts: { amount: 20_000n } })
})
