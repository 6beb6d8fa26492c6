import { expect, test } from 'vitest'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

test('of calls with one key, one stores; the others get what is there, until it ends or is removed', async () => {
  const clock = new FakeClock(0)
  const store = new MemoryDeliveryStore({ clock })
  expect(await store.putIfAbsent('key', 'first', 1_000)).toBeUndefined()
  expect(await store.putIfAbsent('key', 'second', 1_000)).toBe('first')
  await store.put('key', 'third', 1_000)
  expect(await store.putIfAbsent('key', 'fourth', 1_000)).toBe('third')
  await clock.advance(1_000)
  expect(await store.putIfAbsent('key', 'fifth', 1_000)).toBeUndefined()
  await store.remove('key', 'third')
  expect(await store.putIfAbsent('key', 'sixth', 1_000)).toBe('fifth')
  await store.remove('key', 'fifth')
  expect(await store.putIfAbsent('key', 'sixth', 1_000)).toBeUndefined()
})

const keys = ['a', 'b', 'c', 'd']

test('where it is full, it forgets what was written first', async () => {
  const store = new MemoryDeliveryStore({ maxCharacters: 3 * 11 })
  for (const key of keys) await store.put(key, 'x'.repeat(10), 1_000)
  const kept = await Promise.all(
    ['d', 'c', 'b'].map((key) => store.putIfAbsent(key, 'y'.repeat(10), 1_000)),
  )
  expect(kept).toEqual(kept.map(() => 'x'.repeat(10)))
  expect(await store.putIfAbsent('a', 'y', 1_000)).toBeUndefined()
})

test('where it is full, it first forgets those whose time is over', async () => {
  const clock = new FakeClock(0)
  const store = new MemoryDeliveryStore({ maxCharacters: 3 * 11, clock })
  await store.put('a', 'x'.repeat(10), 10_000)
  await store.put('b', 'x'.repeat(10), 1_000)
  await store.put('c', 'x'.repeat(10), 10_000)
  await clock.advance(1_000)
  await store.put('d', 'x'.repeat(10), 10_000)
  expect(await store.putIfAbsent('a', 'y', 10_000)).toBe('x'.repeat(10))
})

test('one value that is larger than the store is kept alone', async () => {
  const store = new MemoryDeliveryStore({ maxCharacters: 5 })
  await store.put('a', 'x', 1_000)
  await store.put('b', 'x'.repeat(10), 1_000)
  expect(await store.putIfAbsent('b', 'y', 1_000)).toBe('x'.repeat(10))
  expect(await store.putIfAbsent('a', 'y', 1_000)).toBeUndefined()
})
