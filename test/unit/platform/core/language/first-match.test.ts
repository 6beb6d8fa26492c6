import { expect, test } from 'vitest'
import { firstMatch } from '../../../../../src/platform/core/language/first-match.ts'

test('firstMatch stops at the first item that gives something', () => {
  const tried: number[] = []
  const found = firstMatch([1, 2, 3], (item) => {
    tried.push(item)
    return item >= 2 ? `item ${item}` : undefined
  })
  expect(found).toBe('item 2')
  expect(tried).toEqual([1, 2])
})

test('firstMatch takes false and 0 for something', () => {
  expect(firstMatch([undefined, false, true], (item) => item)).toBe(false)
  expect(firstMatch([], () => 1)).toBeUndefined()
})
