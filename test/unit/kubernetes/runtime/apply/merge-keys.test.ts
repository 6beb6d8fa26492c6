import { describe, expect, test } from 'vitest'
import { findDrift } from '../../../../../src/kubernetes/runtime/apply/drift.ts'
import { mergeKeysOf } from '../../../../../src/kubernetes/runtime/apply/merge-keys.ts'

const list = (type: string, ...keys: string[]) => ({
  items: { properties: { tags: { 'x-kubernetes-list-type': 'set' } } },
  'x-kubernetes-list-type': type,
  'x-kubernetes-list-map-keys': keys,
})
/** A custom kind whose lists have other names and keys than those of any built-in kind. */
const mergeKeys = mergeKeysOf({
  properties: {
    spec: {
      properties: {
        rooms: list('map', 'floor', 'door'),
        ports: list('atomic'),
        byName: { additionalProperties: { properties: { users: list('map', 'id') } } },
      },
    },
  },
})
const drift = (desired: object, live: object) => findDrift(desired, live, [], mergeKeys)

describe('the lists of a custom kind', () => {
  test.each([
    { path: 'spec.rooms', keys: ['floor', 'door'] },
    { path: 'spec.rooms.*.tags', keys: [] },
    { path: 'spec.ports', keys: undefined },
    { path: 'spec.byName.any.users', keys: ['id'] },
    { path: 'spec.unknown', keys: undefined },
    { path: 'metadata.finalizers', keys: [] },
  ])('have the keys $keys at $path, by its schema', ({ path, keys }) => {
    expect(mergeKeys(path.split('.'))).toEqual(keys)
  })

  test('show no drift where another manager added or moved an element', () => {
    const mine = { floor: 1, door: 2, colour: 'red' }
    const others = { floor: 1, door: 3, colour: 'blue' }

    expect(drift({ spec: { rooms: [mine] } }, { spec: { rooms: [others, mine] } })).toBeUndefined()
    // The same lists by the table of built-in kinds: this is what the schema changes.
    expect(findDrift({ spec: { rooms: [mine] } }, { spec: { rooms: [others, mine] } })).toBe(
      'spec.rooms',
    )
  })

  test('show drift where an element of ours differs, and in a list with one owner', () => {
    expect(
      drift(
        { spec: { rooms: [{ floor: 1, door: 2, colour: 'red' }] } },
        { spec: { rooms: [{ floor: 1, door: 2, colour: 'blue' }] } },
      ),
    ).toBe('spec.rooms.*.colour')
    expect(
      drift({ spec: { ports: [{ port: 1 }] } }, { spec: { ports: [{ port: 1 }, { port: 2 }] } }),
    ).toBe('spec.ports')
  })
})
