import { describe, expect, test } from 'vitest'
import { didYouMean, nearestWord } from '../../../../../src/platform/core/text/nearest-word.ts'

const words = ['serve', 'status', 'settlements', 'provision', 'pay', 'list', 'new']

describe('the nearest word', () => {
  test.each([
    { typed: 'sttaus', meant: 'status' },
    { typed: 'statsu', meant: 'status' },
    { typed: 'stauts', meant: 'status' },
    { typed: 'statu', meant: 'status' },
    { typed: 'statuss', meant: 'status' },
    { typed: 'serev', meant: 'serve' },
    { typed: 'pya', meant: 'pay' },
    { typed: 'nwe', meant: 'new' },
    { typed: 'lst', meant: 'list' },
    { typed: 'settlement', meant: 'settlements' },
    { typed: 'settle', meant: 'settlements' },
    { typed: 'prov', meant: 'provision' },
  ])('to $typed is $meant', ({ typed, meant }) => {
    expect(nearestWord(typed, words)).toBe(meant)
    expect(didYouMean(typed, words)).toBe(`. Did you mean ${meant}?`)
  })

  test.each(['', 'x', 'se', 'old', 'toString', 'unrelated'])('to %j is none', (typed) => {
    expect(nearestWord(typed, words)).toBeUndefined()
    expect(didYouMean(typed, words)).toBe('')
  })
})
