/** One authorization of a metered payment is settled once: for one amount, by whichever replica, with whichever entry. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../../../support/ledger-view.ts'
import type { PaymentBody } from '../../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import type { Replica } from '../../../../support/stack.ts'
import { settleOf } from '../../../../support/upto-payments.ts'
import { leasedChannels } from '../../store-view.ts'
import {
  countSettlements,
  latest,
  openUptoWorld,
  rowOf,
  type UptoWorld,
  untilState,
} from './upto-world.ts'

let proxy: RpcProxy
let world: UptoWorld
let replica: Replica
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({
    rpcThrough: proxy.forwardTo,
    timings: { validitySeconds: 40, rebroadcastMs: 200 },
  })
  replica = await world.stack.replica()
})
afterAll(async () => {
  await replica?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

const conflict = {
  success: false,
  errorReason: 'settle_exact_stellar_idempotency_conflict',
  transaction: '',
}

/** Expects that the work makes one payment, of the amount in the answer that it returns. */
async function expectOnePayment(
  work: () => Promise<{ readonly transaction: string; readonly amount: string }>,
): Promise<void> {
  const { stack, seller } = world
  const { network } = stack.localnet
  const ledger = latest(world)
  const held = usdcOf(network, seller.address) ?? 0n
  const rows = await countSettlements(stack)
  const { transaction, amount } = await work()
  await stack.localnet.closeLedger()
  const applied = transactionsAfter(network, ledger)
  expect(applied.map(({ hash }) => hash)).toEqual([transaction])
  expect(applied.flatMap(transfersOf).map((each) => each.amount)).toEqual([BigInt(amount)])
  expect(usdcOf(network, seller.address)).toBe(held + BigInt(amount))
  expect(await countSettlements(stack)).toBe(rows + 1)
  expect(await leasedChannels(stack)).toBe(0)
}

const settleAt = async (service: Pick<Replica, 'post'>, body: PaymentBody) =>
  (await service.post('/settle', body)).body

/** Two payments over one nonce of the contract: each with an entry, hence a signature, of its own. */
async function twins(): Promise<[PaymentBody, PaymentBody]> {
  const nonce = randomBytes(32)
  const plan = { nonce, amount: 30_000n, expirationLedger: latest(world) + 10 }
  return [await world.upto(plan), await world.upto(plan)]
}

describe('one authorization', () => {
  test('settled twice, again after a restart, and by another replica, has one answer', () =>
    expectOnePayment(async () => {
      const body = settleOf(await world.upto(), 30_000n)
      const first = await world.settle(body)
      expect(first).toMatchObject({ success: true, amount: '30000' })
      expect(await world.settle(body)).toEqual(first)
      await world.stack.restart()
      expect(await world.settle(body)).toEqual(first)
      expect(await settleAt(replica, body)).toEqual(first)
      return first
    }))

  test('settled for one amount at once, by two replicas, has one answer', () =>
    expectOnePayment(async () => {
      const body = settleOf(await world.upto(), 30_000n)
      const services = Array.from({ length: 12 }, (_, index) => (index % 2 ? replica : world.stack))
      const answers = await Promise.all(services.map((service) => settleAt(service, body)))
      expect(answers[0]).toMatchObject({ success: true })
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      return answers[0]
    }))

  test.each([
    { by: 'one replica', other: () => world.stack },
    { by: 'two replicas', other: () => replica },
  ])('settled for twelve amounts at once, by $by, is settled for one of them', ({ other }) =>
    expectOnePayment(async () => {
      const body = await world.upto()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          settleAt(index % 2 ? other() : world.stack, settleOf(body, 1_000n * BigInt(index + 1))),
        ),
      )
      const [paid, ...alsoPaid] = answers.filter(({ success }) => success)
      expect(alsoPaid).toEqual([])
      for (const answer of answers) if (answer !== paid) expect(answer).toMatchObject(conflict)
      return paid
    }),
  )

  test('settled with two entries of the payer, one after the other and after a restart, is settled once', () =>
    expectOnePayment(async () => {
      const [body, twin] = await twins()
      const paid = await world.settle(body)
      expect(paid).toMatchObject({ success: true })
      expect(await world.settle(twin)).toMatchObject(conflict)
      await world.stack.restart()
      expect(await world.settle(twin)).toMatchObject(conflict)
      expect((await world.stack.post('/verify', settleOf(twin, 100_000n))).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_upto_stellar_payload_authorization_used',
      })
      return paid
    }))

  test('settled with two entries of the payer at once, by two replicas, is settled once', () =>
    expectOnePayment(async () => {
      const bodies = await twins()
      const answers = await Promise.all(
        [world.stack, replica].flatMap((service) => bodies.map((body) => settleAt(service, body))),
      )
      const paid = answers.filter(({ success }) => success)
      expect(new Set(paid.map(({ transaction }) => transaction)).size).toBe(1)
      for (const answer of answers) {
        if (!paid.includes(answer)) expect(answer).toMatchObject(conflict)
      }
      return paid[0]
    }))

  test('that has succeeded is settled for no other amount', () =>
    expectOnePayment(async () => {
      const body = await world.upto()
      const paid = await world.settle(settleOf(body, 30_000n))
      expect(paid).toMatchObject({ success: true })
      for (const amount of [0n, 29_999n, 30_001n, 100_000n]) {
        expect(await world.settle(settleOf(body, amount))).toMatchObject(conflict)
        expect(await settleAt(replica, settleOf(body, amount))).toMatchObject(conflict)
      }
      return paid
    }))

  test('that was settled for nothing is settled for nothing else', () =>
    expectNothingMoved(async () => {
      const body = await world.upto()
      const paid = await world.settle(settleOf(body, 0n))
      expect(paid).toMatchObject({ success: true, amount: '0' })
      expect(await world.settle(settleOf(body, 0n))).toEqual(paid)
      expect(await world.settle(settleOf(body, 1n))).toMatchObject(conflict)
      expect((await world.stack.post('/verify', body)).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_upto_stellar_payload_authorization_used',
      })
      return [paid.transaction]
    }))

  test('whose transaction has expired is settled neither again nor for another amount', () =>
    expectNothingMoved(async () => {
      const { stack, payer } = world
      const { localnet } = stack
      const body = await world.upto()
      proxy.fail('sendTransaction', { kind: 'swallow' })
      const settling = world.settle(settleOf(body, 30_000n))
      const { recorded } = await untilState(stack, body, {
        payer: payer.address,
        state: 'submitted',
      })
      const maxTime = recorded?.maxTime ?? 0
      while (localnet.network.latest.closeTime <= maxTime) await localnet.closeLedger()
      const expired = await settling
      expect(expired).toMatchObject({
        success: false,
        errorReason: 'settle_exact_stellar_transaction_expired',
        transaction: recorded?.txHash,
      })
      proxy.heal()
      expect(await world.settle(settleOf(body, 30_000n))).toEqual(expired)
      expect(await world.settle(settleOf(body, 20_000n))).toMatchObject(conflict)
      expect(await rowOf(stack, body, payer.address)).toMatchObject({ state: 'expired' })
      return []
    }))
})

/** Expects that the ledger has the transactions that the work returns, and that none of them moves anything. */
async function expectNothingMoved(work: () => Promise<readonly string[]>): Promise<void> {
  const { network } = world.stack.localnet
  const ledger = latest(world)
  const held = usdcOf(network, world.payer.address)
  const hashes = await work()
  await world.stack.localnet.closeLedger()
  const applied = transactionsAfter(network, ledger)
  expect(applied.map(({ hash }) => hash)).toEqual(hashes)
  expect(applied.flatMap(transfersOf)).toEqual([])
  expect(usdcOf(network, world.payer.address)).toBe(held)
  expect(await leasedChannels(world.stack)).toBe(0)
}
