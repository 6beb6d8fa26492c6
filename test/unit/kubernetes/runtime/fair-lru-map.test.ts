import { expect, test } from 'vitest'
import { FairLruMap } from '../../../../src/kubernetes/runtime/fair-lru-map.ts'

test('a namespace with many entries loses its own, the least recently used one first', () => {
  const map = new FairLruMap<number>(4)
  map.set('honest', 'a', 1)
  for (let count = 0; count < 100; count++) {
    map.set('hostile', `${count}`, count)
    map.get('hostile', '0')
  }
  expect(map.get('honest', 'a')).toBe(1)
  expect([97, 98, 99].map((count) => map.get('hostile', `${count}`))).toEqual([undefined, 98, 99])
  expect(map.get('hostile', '0')).toBe(0)
})

test('keys of namespaces are apart, and can be read of all', () => {
  const map = new FairLruMap<number>(10)
  map.set('one', 'a', 1)
  map.set('two', 'a', 2)
  map.set(undefined, 'a', 3)
  expect(map.inAll('a')).toEqual([1, 2, 3])
  map.set('one', 'a', 4)
  map.delete('two', 'a')
  map.delete('two', 'a')
  expect([map.get('one', 'a'), map.get('two', 'a'), map.get(undefined, 'a')]).toEqual([
    4,
    undefined,
    3,
  ])
})

test('it holds no more than its capacity, also with one entry in each namespace', () => {
  const map = new FairLruMap<number>(3)
  for (let count = 0; count < 10; count++) map.set(`${count}`, 'a', count)
  expect(map.inAll('a')).toEqual([7, 8, 9])
})
