import { describe, expect, test } from 'vitest'
import { JsonItems } from '../../../../../src/kubernetes/runtime/client/json-items.ts'

/** The objects, and the rest, of a list whose text arrives in pieces of this many characters. */
function cut(text: string, length: number) {
  const items: unknown[] = []
  const list = new JsonItems((json) => items.push(JSON.parse(json)))
  for (let at = 0; at < text.length; at += length) list.add(text.slice(at, at + length))
  return { items, rest: JSON.parse(list.rest) as unknown }
}

const awkward = [
  { metadata: { name: 'a', items: [{ items: ['}', ']', '"'] }] } },
  { '\\"': '\\\\', 'a"b': '"items":[{', 'ü}': { deep: [[{}], [], 'x\\'] } },
  {},
]
const metadata = { resourceVersion: '9', continue: 'items', items: [{ not: 'these' }] }

describe('the objects of a list', () => {
  test.each([1, 2, 3, 7, 64, 100_000])('are cut out of pieces of %i characters', (length) => {
    const list = { kind: 'items', apiVersion: 'v1', metadata, items: awkward, more: ['items'] }
    for (const text of [JSON.stringify(list), JSON.stringify(list, null, 2)]) {
      expect(cut(text, length)).toEqual({ items: awkward, rest: { ...list, items: [] } })
    }
  })

  test.each([null, []])('are none where items is %j', (items) => {
    expect(cut(JSON.stringify({ metadata, items }), 5)).toEqual({
      items: [],
      rest: { metadata, items },
    })
  })

  test('are given away before the rest has arrived', () => {
    const items: string[] = []
    const list = new JsonItems((json) => items.push(json))
    list.add('{"items":[{"a":1},{"b"')
    expect(items).toEqual(['{"a":1}'])
    list.add(':2}')
    expect(items).toEqual(['{"a":1}', '{"b":2}'])
  })
})
