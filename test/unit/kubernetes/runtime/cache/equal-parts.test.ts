import { describe, expect, test } from 'vitest'
import { withEqualPartsOf } from '../../../../../src/kubernetes/runtime/cache/equal-parts.ts'
import { ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import type { KubeObject } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { type Thing, thing } from '../support/objects.ts'

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value))

describe('equal parts of two values', () => {
  test.each([
    { of: 'equal objects', value: { a: [{ b: 1 }] }, like: { a: [{ b: 1 }] } },
    { of: 'other values', value: { a: 1, b: 'x' }, like: { a: 2, b: 'x' } },
    { of: 'more members', value: { a: 1, b: {} }, like: { b: {} } },
    { of: 'fewer members', value: { b: {} }, like: { a: 1, b: {} } },
    { of: 'as many other members', value: { a: undefined }, like: { b: 1 } },
    { of: 'another order of members', value: { a: 1, b: 2 }, like: { b: 2, a: 1 } },
    { of: 'longer lists', value: [{ a: 1 }, 2], like: [{ a: 1 }] },
    { of: 'shorter lists', value: [], like: [1] },
    { of: 'a list and an object', value: { 0: 'a' }, like: ['a'] },
    { of: 'null and an object', value: { a: null, b: {} }, like: { a: {}, b: null } },
  ])('change no value: $of', ({ value, like }) => {
    const before = structuredClone(value)
    expect(withEqualPartsOf(value, like)).toEqual(before)
  })

  test('are those of the second one', () => {
    const like = { equal: { deep: ['x'] }, list: [{ a: 1 }, { b: 2 }], other: 1 }
    const value = withEqualPartsOf({ ...parsed(like), other: 2 }, like)
    expect(value).not.toBe(like)
    expect(value.equal).toBe(like.equal)
    expect(value.list).toBe(like.list)
    expect(withEqualPartsOf(parsed(like), like)).toBe(like)
  })

  test('leave frozen values as they are', () => {
    const value = Object.freeze({ part: { a: 1 }, other: 1 })
    expect(withEqualPartsOf(value, { part: { a: 1 }, other: 2 })).toBe(value)
  })

  test.each(['{"__proto__":{}}', '{"constructor":{},"toString":{}}'])(
    'are none that an object inherits: %s',
    (json) => {
      const value = withEqualPartsOf(JSON.parse(json), { other: 1 })
      expect(JSON.stringify(value)).toBe(json)
      expect(Object.values(value)).not.toContain(Object.prototype)
    },
  )
})

describe('the cache', () => {
  const spec = { template: { containers: [{ name: 'a', image: 'b' }] } }
  const stored = (store: ObjectStore<Thing>, name: string, version: string, more: object = {}) =>
    store.put(parsed(thing(name, { resourceVersion: version }, { spec: { ...spec, ...more } })))
      ?.object.spec as typeof spec | undefined

  test('holds once what two objects have in common, and two versions of one', () => {
    const store = new ObjectStore<Thing>()
    const first = stored(store, 'a', '1', { own: 1 })
    const second = stored(store, 'b', '2', { own: 2 })
    expect(second?.template).toBe(first?.template)
    expect(second).toEqual({ ...spec, own: 2 })
    expect(stored(store, 'b', '3', { own: 3 })?.template).toBe(first?.template)
  })

  test('holds once what every third object has', () => {
    const store = new ObjectStore<Thing>()
    const [first] = ['a', 'b', 'c'].map((kind) => stored(store, kind, '1', { kind: [kind] }))
    expect(stored(store, 'd', '2', { kind: ['a'] })).toBe(first)
  })

  test('holds nothing of an object that is deleted', async () => {
    const store = new ObjectStore<KubeObject>()
    store.put(parsed(thing('a', { resourceVersion: '1' }, { spec })))
    store.delete('ns/a')
    const after = parsed(thing('b', { resourceVersion: '2' }, { spec }))
    const { spec: own } = after
    expect(store.put(after)?.object).toHaveProperty('spec')
    expect((store.get('ns/b') as Thing).spec).toBe(own)
  })
})
