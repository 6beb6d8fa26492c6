import { expect, test } from 'vitest'
import { isWithin } from '../../../../../src/kubernetes/operator/watches/size.ts'

const limit = { characters: 1_000, values: 100 }
const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, 0]))

test.each([
  ['a value', 'x', true],
  ['an absent value', undefined, true],
  ['a long text', 'x'.repeat(1_000), false],
  ['a long name', { ['x'.repeat(1_000)]: 0 }, false],
  ['many short texts', Array(90).fill('x'.repeat(20)), false],
  ['as many members as allowed', names(100), true],
  ['one member more', names(101), false],
  ['many empty lists', [Array(50).fill([]), Array(50).fill([])], false],
  ['64 levels', nested(64), true],
  ['more', nested(65), false],
  ['as many levels as Kubernetes accepts', nested(10_000), false],
])('%s: within the limit %s', (_, value, expected) => {
  expect(isWithin(value, limit)).toBe(expected)
})
