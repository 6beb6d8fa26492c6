import { describe, expect, it } from 'vitest'
import { claimOf } from '../../../../../src/selling/delivery/claim.ts'
import { Deliveries } from '../../../../../src/selling/delivery/deliveries.ts'
import type { Delivery } from '../../../../../src/selling/delivery/http/delivery.ts'
import { claimSettings } from '../../../../../src/selling/delivery/options.ts'
import {
  failed,
  goods,
  ID,
  OTHER_ID,
  paymentOf,
  pending,
  refused,
  served,
  settled,
  shown,
  type Wish,
  world,
} from './delivery-world.ts'

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
    const tools = new Deliveries<string, string>(claimSettings({ store, clock, scope: 'shop' }))
    const claim = (signed: string) =>
      claimOf({ scope: 'shop', payment: paymentOf(signed), id: undefined, bought: ['tool', {}] })
    const tool = await tools.begin(claim('AAAA'))
    if (tool.kind !== 'new') throw new Error(tool.kind)
    expect(shown(await begin())).toBe('409 payment_identifier_conflict')
    await tool.attempt.answer('goods')
    expect(shown(await begin())).toBe('409 payment_identifier_conflict')

    await served(await begin({ signed: 'BBBB' })).complete(goods)
    expect(await tools.begin(claim('BBBB'))).toEqual({
      kind: 'refused',
      reason: 'payment_conflict',
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
    const { begin, replica, clock } = world({ keepMs: 60_000, maxHandlerMs: 10_000 })
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

it('has no request fail of an onError that throws', async () => {
  const { begin, store } = world({
    onError: () => {
      throw new Error('the log is full')
    },
  })
  Object.assign(store, { putIfAbsent: () => Promise.reject(new Error('down')) })
  expect(shown(await begin())).toBe('503 delivery_store_unavailable')
})

it('refuses to keep an answer for less time than its handler may take', () => {
  const times = { claimMs: 3_000, maxHandlerMs: 7_000 }
  expect(() => world({ ...times, keepMs: 10_000 }).replica()).toThrow(RangeError)
  world({ ...times, keepMs: 10_001 }).replica()
})

it('refuses a scope that could be part of the keys of another', () => {
  expect(() => world({ scope: 'shop:1' }).replica()).toThrow(RangeError)
})
