import { expect, test } from 'vitest'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { listing } from './documents.ts'

const penaltyOf = (given: Partial<Parameters<typeof listing>[0]>): number =>
  buildSearchIndex([listing({ id: 'one', ...given })], null).penalties[0] ?? Number.NaN

test('a schema may repeat its names: input and output of honest declarations have the same', () => {
  expect(penaltyOf({ schema: 'city temperature city temperature '.repeat(20) })).toBe(0)
})

test('a short text may use a word three times, and a longer text more often', () => {
  expect(penaltyOf({ description: 'Weather now, weather later, weather alerts' })).toBe(0)
  const others = Array.from({ length: 56 }, (_, at) => `word${at}`).join(' ')
  expect(penaltyOf({ description: `weather weather weather weather ${others}` })).toBe(0)
  expect(penaltyOf({ description: 'weather weather weather weather' })).toBeGreaterThan(0)
})

test.each(['name', 'description'])('a %s that repeats its keywords costs', (field) => {
  const stuffed = penaltyOf({ [field]: 'weather forecast rain '.repeat(10) })
  expect(stuffed).toBeCloseTo(0.6, 6)
})
