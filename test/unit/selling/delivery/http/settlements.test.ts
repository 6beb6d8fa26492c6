import type { SettleResponse } from '@x402/core/types'
import { describe, expect, it, vi } from 'vitest'
import type { Delivery } from '../../../../../src/selling/delivery/http/delivery.ts'
import type {
  DeliveryOptions,
  SettlingServer,
} from '../../../../../src/selling/delivery/http/options.ts'
import { transportOf } from '../../../../../src/selling/delivery/http/paid-request.ts'
import { receipts } from '../../../../../src/selling/receipts/extension.ts'
import {
  failed,
  goods,
  ID,
  paymentOf,
  pending,
  served,
  shown,
  wanted,
  world,
} from './delivery-world.ts'

/* What a repeat gets when the process ends around the settlement. */

const receipt: SettleResponse = { success: true, transaction: 'a1', network: 'stellar:testnet' }
const unsent: SettleResponse = { ...receipt, success: false, errorReason: 'insufficient_funds' }
const price = paymentOf('AAAA').accepted
const body = Buffer.from('goods')

/** A stock server, and the adapter of a process around it. `sell` settles as the stock middleware does. */
function shop(options: Partial<DeliveryOptions> = {}, answers: readonly SettleResponse[] = []) {
  const left = [...answers]
  const settlePayment = vi.fn<SettlingServer['settlePayment']>(async () => left.shift() ?? receipt)
  const resources: SettlingServer = { settlePayment }
  const open = world({ resources, claimMs: 3_000, waitMs: 10_000, ...options })
  const { store } = open
  const putIfAbsent = store.putIfAbsent.bind(store)
  /** Whether the store takes no answers. */
  const down = { isDown: false }
  Object.assign(store, {
    putIfAbsent: async (...entry: Parameters<typeof putIfAbsent>) => {
      if (down.isDown && entry[0].includes(':attempt:')) throw new Error('down')
      return putIfAbsent(...entry)
    },
  })
  const sell = async (
    held: { status: number; body?: Uint8Array } = { status: 201, body },
    signed = 'AAAA',
  ) => {
    const delivery = served(await open.begin({ id: ID }))
    delivery.showHeld(() => ({ status: held.status, headers: [['content-type', 'text/plain']] }))
    const responseHeaders = { 'content-type': 'text/plain', 'x-goods': 'yes', 'set-cookie': 's=1' }
    const transport = { ...transportOf(wanted()), responseBody: held.body, responseHeaders }
    const overrides = { amount: '7' }
    const settlement = delivery.run(() =>
      resources.settlePayment(paymentOf(signed, ID), price, {}, transport, overrides),
    )
    return { delivery, settlement }
  }
  /** From a process of which the first knows nothing, once the first is over. */
  const repeat = async () => {
    const begun = open.replica()({ id: ID })
    await open.clock.advance(4_000)
    return begun
  }
  return { ...open, resources, settlePayment, sell, repeat, down }
}

describe('a process that ends between the settlement and the answer', () => {
  // Its lease ends as that of a dead process.
  const dead = { maxHandlerMs: 1 }

  it('leaves the answer to the next one, which has it settled again and gives it with its receipt', async () => {
    const { sell, repeat, settlePayment } = shop(dead)
    await (await sell()).settlement
    const again = await repeat()
    expect(again).toEqual({
      kind: 'answer',
      answer: {
        status: 201,
        headers: [
          ['content-type', 'text/plain'],
          ['x-goods', 'yes'],
          ['cache-control', 'private'],
          ['payment-response', Buffer.from(JSON.stringify(receipt)).toString('base64')],
        ],
        body,
      },
    })
    expect(settlePayment).toHaveBeenCalledTimes(2)
    const [first, second] = settlePayment.mock.calls
    expect(second?.slice(0, 3)).toEqual(first?.slice(0, 3))
    expect(second?.[4]).toEqual(first?.[4])
    expect(await repeat()).toEqual(again)
    expect(settlePayment).toHaveBeenCalledTimes(2)
  })

  it('has an answer given to nobody that turns out not to be paid', async () => {
    const { sell, repeat, begin } = shop(dead, [receipt, unsent])
    await (await sell()).settlement
    const refused = await repeat()
    expect(refused).toMatchObject({ kind: 'answer', answer: { status: 402 } })
    expect(JSON.stringify(refused)).not.toContain(Buffer.from('goods').toString('base64'))
    expect(await repeat()).toMatchObject({ answer: { status: 201 } })
    expect(shown(await begin({ id: ID, signed: 'BBBB' }))).toBe('409 payment_identifier_conflict')
  })

  it('tells the extensions of the stock server which request is settled', async () => {
    const { sell, repeat, settlePayment } = shop(dead)
    await (await sell()).settlement
    await repeat()
    const extension = receipts({
      origin: 'https://shop.example',
      signer: {
        kid: 'k',
        format: 'jws',
        algorithm: 'EdDSA',
        publicKey: body,
        sign: async () => 's',
      },
    })
    const result = { ...receipt, payer: 'GA' }
    const transportContext = settlePayment.mock.calls[1]?.[3]
    const context = {
      result,
      transportContext,
      paymentPayload: paymentOf('AAAA'),
      requirements: price,
    }
    const signed = await extension.enrichSettlementResponse?.({}, context as never)
    const { signature } = Object(signed).info.receipt
    const [, payload = ''] = signature.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      resourceUrl: 'https://shop.example/goods?n=1',
    })
  })
})

describe('a settlement', () => {
  it('has its answer stored before it begins, and waits for the store', async () => {
    const { sell, settlePayment, clock, down } = shop()
    down.isDown = true
    const { settlement } = await sell()
    await clock.advance(100)
    expect(settlePayment).not.toHaveBeenCalled()
    down.isDown = false
    await clock.advance(1_000)
    expect(await settlement).toEqual(receipt)
  })

  it('does not take place while nothing can be stored', async () => {
    const { sell, settlePayment, clock, down } = shop()
    down.isDown = true
    const { settlement } = await sell()
    const refused = expect(settlement).rejects.toThrow('down')
    await clock.advance(5_000)
    await refused
    down.isDown = false
    expect(settlePayment).not.toHaveBeenCalled()
  })

  it('does not take place once another process serves the request', async () => {
    const { begin, replica, clock, settlePayment, resources } = shop({ maxHandlerMs: 1 })
    const first = served(await begin({ id: ID }))
    await clock.advance(4_000)
    served(await replica()({ id: ID }))
    first.showHeld(() => ({ status: 200, headers: [] }))
    const transport = { ...transportOf(wanted()), responseBody: body }
    const settlement = first.run(() =>
      resources.settlePayment(paymentOf('AAAA', ID), price, {}, transport),
    )
    await expect(settlement).rejects.toThrow('payment_in_progress')
    expect(settlePayment).not.toHaveBeenCalled()
  })

  it.each([
    ['a kept answer', body],
    ['a large answer', Buffer.alloc(300_000)],
    ['an answer that is not made yet', undefined],
  ])('of %s takes place for the last request of a process alone', async (_, made) => {
    const { begin, clock, settlePayment, resources } = shop({ maxHandlerMs: 1 })
    const first = served(await begin())
    await clock.advance(4_000)
    const second = served(await begin())
    const settle = (delivery: Delivery) => {
      delivery.showHeld(() => ({ status: 200, headers: [] }))
      const transport = { ...transportOf(wanted()), responseBody: made }
      return delivery.run(() => resources.settlePayment(paymentOf('AAAA'), price, {}, transport))
    }
    await expect(settle(first)).rejects.toThrow('payment_in_progress')
    expect(settlePayment).not.toHaveBeenCalled()
    expect(await settle(second)).toEqual(receipt)
    await second.complete(goods)
    await expect(settle(first)).rejects.toThrow('payment_in_progress')
    expect(settlePayment).toHaveBeenCalledOnce()
    expect(await begin()).toEqual({ kind: 'answer', answer: goods })
  })

  it('without a final result is tried again by a repeat, and no handler runs', async () => {
    const { sell, repeat, settlePayment } = shop()
    const { delivery, settlement } = await sell()
    await settlement
    await delivery.complete(pending)
    expect(await repeat()).toMatchObject({ kind: 'answer', answer: { status: 201 } })
    expect(settlePayment).toHaveBeenCalledTimes(2)
  })

  it('of an answer that was sent is not repeated', async () => {
    const { sell, repeat, settlePayment } = shop()
    const { delivery, settlement } = await sell()
    await settlement
    await delivery.complete(goods)
    expect(await repeat()).toEqual({ kind: 'answer', answer: goods })
    expect(settlePayment).toHaveBeenCalledOnce()
  })

  it.each<[string, Parameters<ReturnType<typeof shop>['sell']>]>([
    ['of another payment', [{ status: 200, body }, 'BBBB']],
    ['before the answer is made', [{ status: 200 }]],
    ['of a large answer', [{ status: 200, body: Buffer.alloc(300_000) }]],
  ])('%s stores nothing', async (_, sold) => {
    const { sell, begin } = shop()
    const { delivery, settlement } = await sell(...sold)
    await settlement
    await delivery.complete(failed)
    served(await begin({ id: ID }))
  })
})
