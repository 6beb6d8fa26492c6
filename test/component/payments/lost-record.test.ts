import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import type { PaymentBody } from '../../support/payments.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { rowOf, untilSent, untilState } from './store-view.ts'
import { openWorld, type World } from './world.ts'

/** So long that no request is answered, and no settlement taken over, before the test lets the ledger decide. */
const timings = {
  ...{ rebroadcastMs: 100, followedForMs: 300_000 },
  ...{ confirmWindowMs: 300_000, duplicateWaitMs: 300_000 },
}

/** As after a failover to a standby that lacks the last commits. */
describe('a settlement whose record the store has lost', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ timings, reconcileIntervalMs: 100 })
  })
  afterEach(() => world.stack.hold(false))
  afterAll(() => world[Symbol.asyncDispose]())

  it('is answered with what the ledger says, and so is its repeat, by every replica', async () => {
    const { stack, pay } = world
    const body = await pay()
    stack.hold(true)
    const answering = stack.post('/settle', body)
    await untilSent(stack, body)
    const [hash] = stack.taken.slice(-1)
    await loseSettlements(stack)
    stack.hold(false)
    await stack.localnet.closeLedger()

    expect((await answering).body).toMatchObject({ success: true, transaction: hash })
    await using other = await stack.replica()
    for (const { post } of [stack, other]) {
      expect((await post('/settle', body)).body).toMatchObject({ success: true, transaction: hash })
    }
    expect((await stack.post('/settle', await pay())).body.success).toBe(true)
  })

  it('makes no second transfer when a repeat sends another transaction, and answers neither untruly', async () => {
    const { stack, pay } = world
    const { network } = stack.localnet
    await using other = await stack.replica()
    const body = await pay()
    stack.hold(true)
    // Whatever closes a ledger still does so before this one.
    await stack.localnet.closeLedger()
    const { sequence } = network.latest
    const answering = [stack.post('/settle', body)]
    await sentUnanswered(stack, body, answering)
    await loseSettlements(stack)
    // The repeat finds nothing to answer with, neither in the store nor on the ledger, so that it sends another transaction.
    expect(await rowOf(stack, body)).toBeUndefined()
    expect(network.latest.sequence).toBe(sequence)
    answering.push(other.post('/settle', body))
    await sentUnanswered(stack, body, answering)
    stack.hold(false)
    await stack.localnet.closeLedger()

    const answers = (await Promise.all(answering)).map((answer) => answer.body)
    const applied = transactionsAfter(network, sequence)
    expect(answers).toMatchObject(
      answers.map(({ transaction }, index) => {
        const success = applied.find(({ hash }) => hash === transaction)?.successful
        if (success) return { success }
        // The store has the second transaction when it ends.
        return index === 0
          ? { success: false, errorReason: 'settle_exact_stellar_settlement_in_progress' }
          : {
              success,
              errorMessage: expect.stringContaining('authorization has been used already'),
            }
      }),
    )
    expect(applied.map(({ successful }) => successful).toSorted()).toEqual([false, true])
    const paid = applied.filter(({ successful }) => successful)
    expect(paid.flatMap(transfersOf)).toHaveLength(1)
    await untilState(stack, body, 'succeeded')
    const [transaction] = paid.map(({ hash }) => hash)
    expect(await rowOf(stack, body)).toMatchObject({
      state: 'succeeded',
      recorded: { txHash: transaction },
    })
    for (const { post } of [stack, other]) {
      expect((await post('/settle', body)).body).toMatchObject({ success: true, transaction })
    }
  })

  it('is no answer to another request that sends another transaction over the same authorization', async () => {
    await using proxy = await startRpcProxy()
    await using own = await openWorld({
      rpcThrough: proxy.forwardTo,
      timings: { rebroadcastMs: 100 },
      reconcileIntervalMs: 100,
    })
    const { stack, pay } = own
    const body = await pay()
    const other = structuredClone(body)
    other.paymentPayload['resource'] = { url: 'https://seller.example/other' }
    stack.hold(true)
    const answering = stack.post('/settle', body)
    await untilSent(stack, body)
    const [hash] = stack.taken.slice(-1)
    await loseSettlements(stack)
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const refusing = stack.post('/settle', other)
    await untilState(stack, other, 'submitted')
    stack.hold(false)
    await stack.localnet.closeLedger()
    expect((await answering).body).toMatchObject({ success: true, transaction: hash })

    proxy.heal()
    expect((await refusing).body).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
    })
    await untilState(stack, body, 'succeeded')
    expect(await rowOf(stack, body)).toMatchObject({ recorded: { txHash: hash } })
  })
})

/** Resolves once the network has the payment's transaction; fails at once when a request is answered before. */
async function sentUnanswered(
  stack: World['stack'],
  body: PaymentBody,
  answering: readonly ReturnType<World['stack']['post']>[],
): Promise<void> {
  const early = Promise.race(answering).then((answer) => {
    throw new Error(`answered before the ledger closed: ${JSON.stringify(answer)}`)
  })
  // It is rejected when the ledger has decided, and is of no interest then.
  early.catch(() => undefined)
  await Promise.race([untilSent(stack, body), early])
}

async function loseSettlements({ store }: World['stack']): Promise<void> {
  await store.db
    .updateTable('channels')
    .set({ lease_owner: null, lease_settlement: null, lease_expires_at: null })
    .execute()
  await store.db.deleteFrom('settlements').execute()
}
