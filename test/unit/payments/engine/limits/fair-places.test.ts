import { describe, expect, test } from 'vitest'
import {
  FairPlaces,
  type MissedPlace,
} from '../../../../../src/payments/engine/limits/turns/fair-places.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

/** Asks for places, and notes who got one, in their order; a request is named by caller, payer and a number. */
function asking(places: number, maxWaiting = 100) {
  const clock = new FakeClock()
  const fair = new FairPlaces({ places, maxWaiting, waitMs: 5_000, clock })
  const held = new Map<string, Disposable>()
  const missed = new Map<string, MissedPlace>()
  const ask = (name: string, signal?: AbortSignal) => {
    const [caller = '', payer = ''] = name.split(' ')
    return fair.take({ caller, payer }, signal).then((taken) => {
      if (typeof taken === 'string') missed.set(name, taken)
      else held.set(name, taken)
    })
  }
  const free = async (name: string) => {
    held.get(name)?.[Symbol.dispose]()
    held.delete(name)
    await clock.advance(0)
  }
  const all = async (names: readonly string[]) => {
    for (const name of names) void ask(name)
    await clock.advance(0)
  }
  return { clock, ask, all, free, missed, holders: () => [...held.keys()] }
}

const requestsOf = (caller: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${caller} p ${n}`)

describe('FairPlaces', () => {
  test('keep a quarter free of one caller, however many requests it has', async () => {
    const places = asking(16)
    await places.all(requestsOf('a', 40))
    expect(places.holders()).toEqual(requestsOf('a', 12))
    await places.all(requestsOf('b', 4))
    expect(places.holders().slice(12)).toEqual(requestsOf('b', 4))
  })

  test('give the only place to anyone', async () => {
    const places = asking(1)
    await places.all(['a p 0'])
    expect(places.holders()).toEqual(['a p 0'])
  })

  test('go to the waiting caller that has the fewest, then in turn', async () => {
    const places = asking(4)
    await places.all([...requestsOf('a', 5), ...requestsOf('b', 3), ...requestsOf('c', 2)])
    expect(places.holders()).toEqual(['a p 0', 'a p 1', 'a p 2', 'b p 0'])
    await places.free('a p 0')
    expect(places.holders().at(-1)).toBe('c p 0')
    await places.free('b p 0')
    expect(places.holders().at(-1)).toBe('b p 1')
    await places.free('a p 1')
    expect(places.holders().at(-1)).toBe('a p 3')
    await places.free('a p 2')
    expect(places.holders().at(-1)).toBe('c p 1')
    await places.free('b p 1')
    expect(places.holders().at(-1)).toBe('b p 2')
  })

  test('go to the payers of one caller in turn', async () => {
    const places = asking(1)
    await places.all(['a x 0', 'a x 1', 'a x 2', 'a y 1', 'a z 1', 'a y 2'])
    const order: string[] = []
    for (let [holder] = places.holders(); holder !== undefined; [holder] = places.holders()) {
      order.push(holder)
      await places.free(holder)
    }
    expect(order).toEqual(['a x 0', 'a x 1', 'a y 1', 'a z 1', 'a x 2', 'a y 2'])
  })

  test('are never idle while another caller waits', async () => {
    const places = asking(4)
    await places.all([...requestsOf('a', 6), ...requestsOf('b', 6)])
    for (let ended = 0; ended < 8; ended++) {
      expect(places.holders()).toHaveLength(4)
      await places.free(places.holders()[0] ?? '')
    }
  })

  test('refuse the newest request of the longest line when too many wait', async () => {
    const places = asking(1, 4)
    await places.all(['b p 0', ...requestsOf('a', 4)])
    await places.all(['c p 0', 'a p 9'])
    expect([...places.missed]).toEqual([
      ['a p 3', 'line full'],
      ['a p 9', 'line full'],
    ])
    // Of one caller, a payer with few requests is not refused for one with many.
    const one = asking(1, 4)
    await one.all(['a x 0', 'a x 1', 'a x 2', 'a x 3', 'a x 4', 'a y 1'])
    expect([...one.missed]).toEqual([['a x 4', 'line full']])
  })

  test('refuse what has waited for too long', async () => {
    const places = asking(1)
    await places.all(['a p 0', 'a p 1'])
    await places.clock.advance(4_999)
    await places.all(['b p 0'])
    expect(places.missed.size).toBe(0)
    await places.clock.advance(1)
    expect([...places.missed]).toEqual([['a p 1', 'late']])
    await places.free('a p 0')
    expect(places.holders()).toEqual(['b p 0'])
    expect(places.clock.sleeping).toBe(0)
  })

  test('are kept for no request that was aborted', async () => {
    const places = asking(1)
    await places.all(['a p 0'])
    const gone = new AbortController()
    const waiting = places.ask('b p 0', gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(places.ask('b p 1', gone.signal)).rejects.toThrow('gone')
    expect(places.clock.sleeping).toBe(0)
    await places.all(['c p 0'])
    await places.free('a p 0')
    expect(places.holders()).toEqual(['c p 0'])
  })

  test('are freed once, however often they are disposed of', async () => {
    const clock = new FakeClock()
    const fair = new FairPlaces({ places: 1, maxWaiting: 9, waitMs: 5_000, clock })
    const request = { caller: 'a', payer: 'p' }
    const place = await fair.take(request)
    if (typeof place === 'string') throw new Error(place)
    place[Symbol.dispose]()
    place[Symbol.dispose]()
    await fair.take(request)
    const next = fair.take(request)
    await clock.advance(5_000)
    expect(await next).toBe('late')
  })
})
