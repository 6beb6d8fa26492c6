import { describe, expect, it, onTestFinished } from 'vitest'
import type { Answer } from '../../../../src/selling/delivery/answer.ts'
import { type Begun, Deliveries } from '../../../../src/selling/delivery/deliveries.ts'
import type { Delivery } from '../../../../src/selling/delivery/delivery.ts'
import type { DeliveryStore } from '../../../../src/selling/delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import type { DeliveryOptions } from '../../../../src/selling/delivery/options.ts'
import type { DeliveryRequest } from '../../../../src/selling/delivery/paid-request.ts'
import { paymentKey } from '../../../../src/selling/delivery/payment-key.ts'
import { Deliveries as ToolDeliveries } from '../../../../src/selling/mcp/deliver-once.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const encoded = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64')

const ID = 'pay_0123456789abcdef'
const OTHER_ID = 'pay_fedcba9876543210'

interface Wish {
  readonly signed?: string
  readonly id?: unknown
  readonly method?: string
  readonly url?: string
  readonly body?: string
  readonly header?: string
  readonly signal?: AbortSignal
}

function wanted({ signed = 'AAAA', id, ...wish }: Wish = {}): DeliveryRequest {
  const extensions = id === undefined ? {} : { 'payment-identifier': { info: { id } } }
  const payment = encoded({ x402Version: 2, payload: { transaction: signed }, extensions })
  const { method = 'POST', url = '/goods?n=1', body = 'two', signal } = wish
  return {
    method,
    url,
    header: (name) => (name === (wish.header ?? 'payment-signature') ? payment : undefined),
    body: async (maxBytes) =>
      body.length > maxBytes ? undefined : new Uint8Array(Buffer.from(body)),
    ...(signal && { signal }),
  }
}

const settled = encoded({ success: true, transaction: 'a1', network: 'stellar:testnet' })
const goods: Answer = {
  status: 200,
  headers: [['payment-response', settled]],
  body: Buffer.from('goods'),
}
const failed: Answer = { status: 404, headers: [], body: new Uint8Array() }
const pending: Answer = {
  status: 402,
  headers: [['payment-response', encoded({ success: false, errorReason: 'settlement_pending' })]],
  body: new Uint8Array(),
}

const refused: Answer = {
  status: 402,
  headers: [['payment-required', encoded({ error: 'invalid_exact_stellar_payload_expired' })]],
  body: new Uint8Array(),
}

function world(options: Partial<DeliveryOptions> = {}) {
  const clock = new FakeClock()
  const store = new MemoryDeliveryStore({ clock })
  const open: Delivery[] = []
  const shared = { store, scope: 'shop', clock, ...options }
  /** One process of the server. */
  const replica = (own: Partial<DeliveryOptions> = {}) => {
    const deliveries = new Deliveries({ ...shared, ...own })
    return async (wish?: Wish) => {
      const begun = await deliveries.begin(wanted(wish))
      if (begun.kind === 'serve') open.push(begun.delivery)
      return begun
    }
  }
  onTestFinished(async () => {
    for (const delivery of open) await delivery.abandon()
  })
  return { clock, store, replica, begin: replica() }
}

const served = (begun: Begun): Delivery => {
  if (begun.kind !== 'serve') throw new Error(`not served: ${JSON.stringify(begun)}`)
  return begun.delivery
}

const shown = (begun: Begun) =>
  begun.kind === 'answer'
    ? `${begun.answer.status} ${JSON.parse(Buffer.from(begun.answer.body).toString()).error}`
    : begun.kind

describe('a request', () => {
  it.each<{ with: string; first?: Wish; next: Wish; gets: string; required?: boolean }>([
    { with: 'a payment', next: {}, gets: 'serve' },
    { with: 'a payment of version 1', next: { header: 'x-payment' }, gets: 'serve' },
    { with: 'no payment', next: { header: 'cookie' }, gets: 'unpaid' },
    {
      with: 'an id that is too short',
      next: { id: 'short' },
      gets: '400 payment_identifier_invalid',
    },
    { with: 'an id that is no text', next: { id: 1 }, gets: '400 payment_identifier_invalid' },
    {
      with: 'no id, which is required',
      next: {},
      required: true,
      gets: '400 payment_identifier_required',
    },
    { with: 'an id, which is required', next: { id: ID }, required: true, gets: 'serve' },
    { with: 'a large body', next: { body: 'x'.repeat(11) }, gets: '413 request_too_large' },
    {
      with: 'the payment at another path',
      first: {},
      next: { url: '/car' },
      gets: '409 payment_identifier_conflict',
    },
    {
      with: 'the payment and another query',
      first: {},
      next: { url: '/goods?n=9' },
      gets: '409 payment_identifier_conflict',
    },
    {
      with: 'the payment and another method',
      first: {},
      next: { method: 'PUT' },
      gets: '409 payment_identifier_conflict',
    },
    {
      with: 'the payment and another body',
      first: {},
      next: { body: 'nine' },
      gets: '409 payment_identifier_conflict',
    },
    { with: 'another payment', first: {}, next: { signed: 'BBBB' }, gets: 'serve' },
    {
      with: 'another payment and id',
      first: { id: ID },
      next: { signed: 'BBBB', id: OTHER_ID },
      gets: 'serve',
    },
    {
      with: 'the id of another payment',
      first: { id: ID },
      next: { signed: 'BBBB', id: ID },
      gets: '409 payment_identifier_conflict',
    },
    {
      with: 'the payment and another id',
      first: { id: ID },
      next: { id: OTHER_ID },
      gets: '409 payment_identifier_conflict',
    },
    {
      with: 'the payment without its id',
      first: { id: ID },
      next: {},
      gets: '409 payment_identifier_conflict',
    },
  ])('with $with gets $gets, while the other is served and after it', async (row) => {
    const { begin } = world({ maxRequestBytes: 10, idRequired: row.required ?? false })
    const first = row.first && served(await begin(row.first))

    const during = await begin(row.next)
    expect(shown(during)).toBe(row.gets)
    if (during.kind === 'serve') await during.delivery.complete(failed)

    await first?.complete(goods)
    expect(shown(await begin(row.next))).toBe(row.gets)
  })

  it('is served at one host of the seller alone', async () => {
    const { begin, replica } = world()
    await served(await begin({ id: ID })).complete(goods)
    const elsewhere = replica({ scope: 'other' })
    expect(shown(await elsewhere({ id: ID }))).toBe('409 payment_identifier_conflict')
    served(await elsewhere({ id: ID, signed: 'BBBB' }))
  })

  it('is refused where its payment has bought a tool, and the tool where it has bought this', async () => {
    const { begin, store, clock } = world()
    const tools = new ToolDeliveries({ store, clock, keepMs: 60_000, onError: () => {} })
    const claim = (signed: string) => {
      const key = paymentKey({ transaction: signed })
      return { key, payment: 'p', call: 'c', id: undefined }
    }
    const make = async () => ({ kind: 'answered', result: { content: [] } }) as const
    const settle = () => Promise.reject(new Error('nothing is settled'))
    await store.put(claim('AAAA').key, '{"payment":"p","call":"c","state":"in_work"}', 60_000)
    expect(shown(await begin())).toBe('409 payment_identifier_conflict')
    await served(await begin({ signed: 'BBBB' })).complete(goods)
    expect(await tools.once(claim('BBBB'), { make, settle })).toEqual({
      kind: 'refused',
      reason: 'payment_used_for_another_call',
    })
  })

  it('leaves its id with an earlier request that may have settled it, when it is refused itself', async () => {
    const { begin } = world()
    await served(await begin({ id: ID })).complete(pending)
    await served(await begin({ id: ID })).complete(refused)
    expect(shown(await begin({ id: ID, signed: 'BBBB' }))).toBe('409 payment_identifier_conflict')
  })
})

describe('a repeat', () => {
  it('gets the answer, from every process, until the answer is forgotten', async () => {
    const { begin, replica, clock } = world({ keepMs: 60_000 })
    await served(await begin({ id: ID })).complete(goods)

    await clock.advance(59_000)
    expect(await begin({ id: ID })).toEqual({ kind: 'answer', answer: goods })
    expect(await replica()({ id: ID })).toEqual({ kind: 'answer', answer: goods })

    await clock.advance(1_000)
    served(await begin({ id: ID }))
  })

  it('waits for the answer to the first', async () => {
    const { begin, replica, clock } = world()
    const first = served(await begin())
    const repeats = [begin(), replica()()]
    await clock.advance(20_000)

    await first.complete(goods)
    await clock.advance(500)

    const answered = { kind: 'answer', answer: goods }
    expect(await Promise.all(repeats)).toEqual([answered, answered])
  })

  it('waits for a set time', async () => {
    const { begin, clock } = world({ waitMs: 5_000 })
    served(await begin())
    const repeat = begin()
    await clock.advance(6_000)
    const begun = await repeat
    expect(shown(begun)).toBe('503 payment_in_progress')
    expect(begun).toMatchObject({
      answer: { headers: expect.arrayContaining([['retry-after', '2']]) },
    })
  })

  it('does not wait beside a set number of others', async () => {
    const { begin, clock } = world({ maxWaiting: 2 })
    const first = served(await begin())
    const waiting = [begin(), begin()]
    await clock.advance(0)
    expect(shown(await begin())).toBe('503 payment_in_progress')
    await first.complete(goods)
    await clock.advance(500)
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['answer', 'answer'])
  })

  it('waits no longer once its caller has left, and leaves its place', async () => {
    const { begin, clock } = world({ maxWaiting: 1 })
    const first = served(await begin())
    const left = new AbortController()
    const gone = expect(begin({ signal: left.signal })).rejects.toThrow('left')
    await clock.advance(100)
    left.abort(new Error('left'))
    await gone
    const next = begin()
    await first.complete(goods)
    await clock.advance(500)
    expect((await next).kind).toBe('answer')
  })

  it('is served after the first was not', async () => {
    const { begin, clock } = world()
    const first = served(await begin({ id: ID }))
    const repeat = begin({ id: ID })
    await first.complete(failed)
    await clock.advance(100)
    served(await repeat)
  })

  it.each<{ of: string; end: (first: Delivery) => Promise<void>; other: string }>([
    { of: 'was refused', end: (first) => first.complete(failed), other: 'serve' },
    {
      of: 'has no final result',
      end: (first) => first.complete(pending),
      other: '409 payment_identifier_conflict',
    },
    {
      of: 'ended with the server',
      end: (first) => first.abandon(),
      other: '409 payment_identifier_conflict',
    },
  ])('is served after a first that $of; another payment with its id: $other', async (row) => {
    const { begin } = world()
    await row.end(served(await begin({ id: ID })))
    expect(shown(await begin({ id: ID, signed: 'BBBB' }))).toBe(row.other)
    if (row.other !== 'serve') served(await begin({ id: ID }))
  })

  it('gets the receipt of an answer that is too large, or was sent as it was made', async () => {
    const { begin } = world({ maxAnswerBytes: 4 })
    await served(await begin()).complete(goods)
    await served(await begin({ signed: 'BBBB' })).completeByReceipt(goods)
    for (const repeat of [await begin(), await begin({ signed: 'BBBB' })]) {
      expect(shown(repeat)).toBe('410 answer_not_kept')
      expect(repeat).toMatchObject({
        answer: { headers: expect.arrayContaining([['payment-response', settled]]) },
      })
    }
  })
})

/** A process whose way to the store can be cut. */
function cuttable(store: DeliveryStore) {
  const cut = { isCut: false }
  const pass = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
    return async (...args: A) => {
      if (cut.isCut) throw new Error('cut')
      return call(...args)
    }
  }
  return Object.assign(cut, {
    store: {
      putIfAbsent: pass(store.putIfAbsent.bind(store)),
      put: pass(store.put.bind(store)),
      remove: pass(store.remove.bind(store)),
    },
  })
}

describe('a claim', () => {
  it('is renewed for as long as the handler runs, up to a set time', async () => {
    const { begin, replica, clock } = world({ claimMs: 3_000, maxHandlerMs: 60_000, waitMs: 1 })
    served(await begin())
    await clock.advance(50_000)
    const early = replica()()
    await clock.advance(100)
    expect(shown(await early)).toBe('503 payment_in_progress')
    await clock.advance(15_000)
    served(await replica()())
  })

  it('passes to a repeat when its process stands still, which then takes nothing from it', async () => {
    const { replica, clock, store } = world({ waitMs: 600_000 })
    const still = cuttable(store)
    const first = served(await replica({ store: still.store })({ id: ID }))
    const other = replica()
    const repeat = other({ id: ID })
    await clock.advance(300_000)
    still.isCut = true
    await clock.advance(31_000)
    const second = served(await repeat)

    still.isCut = false
    await clock.advance(11_000)
    await first.complete(failed)
    await second.complete(goods)
    expect(await other({ id: ID })).toEqual({ kind: 'answer', answer: goods })
  })

  it('that passed to a repeat leaves its answer alone, as soon as the store answers again', async () => {
    const { replica, clock, store } = world({ waitMs: 600_000 })
    const still = cuttable(store)
    const first = served(await replica({ store: still.store })({ id: ID }))
    const other = replica()
    const repeat = other({ id: ID })
    await clock.advance(1_000)
    still.isCut = true
    await clock.advance(31_000)
    await served(await repeat).complete(goods)
    still.isCut = false
    await first.complete(failed)
    expect(await other({ id: ID })).toEqual({ kind: 'answer', answer: goods })
  })
})

describe('a store that fails', () => {
  it.each<{ with: string; fail: (store: DeliveryStore) => void }>([
    {
      with: 'an error',
      fail: (store) => Object.assign(store, { putIfAbsent: () => Promise.reject(new Error('x')) }),
    },
    {
      with: 'no answer',
      fail: (store) => Object.assign(store, { putIfAbsent: () => new Promise(() => undefined) }),
    },
    {
      with: 'the value of another program',
      fail: (store) => Object.assign(store, { putIfAbsent: async () => 'no JSON' }),
    },
  ])('with $with has nothing served', async ({ fail }) => {
    const errors: unknown[] = []
    const { begin, store, clock } = world({ onError: (error) => errors.push(error) })
    fail(store)
    const begun = begin()
    await clock.advance(5_000)
    expect(shown(await begun)).toBe('503 delivery_store_unavailable')
    expect(errors).toHaveLength(1)
  })

  it('does not hold back an answer that is paid for', async () => {
    const errors: unknown[] = []
    const { begin, store, clock } = world({ onError: (error) => errors.push(error) })
    const first = served(await begin())
    Object.assign(store, { put: () => new Promise(() => undefined) })
    const sent = first.complete(goods)
    await clock.advance(5_000)
    await sent
    expect(errors).toHaveLength(1)
  })

  it('is tried again for an answer that is paid for', async () => {
    const { begin, store, clock } = world()
    const first = served(await begin())
    const put = store.put.bind(store)
    let failures = 2
    Object.assign(store, {
      put: (...entry: Parameters<typeof put>) =>
        failures-- > 0 ? Promise.reject(new Error('x')) : put(...entry),
    })
    const sent = first.complete(goods)
    await clock.advance(1_000)
    await sent
    expect(await begin()).toEqual({ kind: 'answer', answer: goods })
  })
})

it('refuses a scope that could be part of the keys of another', () => {
  expect(() => world({ scope: 'shop:1' }).replica()).toThrow(RangeError)
})
