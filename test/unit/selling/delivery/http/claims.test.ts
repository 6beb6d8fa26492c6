import { describe, expect, it } from 'vitest'
import type { DeliveryStore } from '../../../../../src/selling/delivery/delivery-store.ts'
import { failed, goods, ID, served, shown, world } from './delivery-world.ts'

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
