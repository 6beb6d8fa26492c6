import { describe, expect, test } from 'vitest'
import { describeConstraints } from '../../../../src/catalog/filters/constraints.ts'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { parseQuestion } from '../../../../src/catalog/search/query/parse-question.ts'
import { queryTerms } from '../../../../src/catalog/search/query/query-terms.ts'
import { CATALOG } from './documents.ts'

/* Questions of 500 characters that would keep the process busy: what they make it do is counted. */

const LONGEST = 500

/** How often a question makes the search read the index of misspellings. */
function readsOf(text: string): number {
  const index = buildSearchIndex(CATALOG, null)
  let reads = 0
  const typos = new Proxy(index.typos, {
    get: (target, name) => {
      reads += 1
      return Reflect.get(target, name)
    },
  })
  queryTerms(text, { ...index, typos }, null, true)
  return reads
}

const unknownWords = (count: number): string =>
  Array.from({ length: count }, (_, at) => `qx${String.fromCharCode(97 + (at % 26))}z${at}`).join(
    ' ',
  )

describe('a question', () => {
  test('has each of its unknown words compared with the index once, and twelve of them', () => {
    expect(readsOf('qxzv')).toBeGreaterThan(0)
    expect(readsOf('qxzv '.repeat(100))).toBe(readsOf('qxzv'))
    expect(readsOf(unknownWords(12))).toBeGreaterThan(readsOf(unknownWords(11)))
    expect(readsOf(unknownWords(80))).toBe(readsOf(unknownWords(12)))
  })

  test('is cut after it was decomposed', () => {
    // Of one character, four words.
    const { rest } = parseQuestion('\ufdfa'.repeat(LONGEST))
    expect(rest.length).toBeLessThanOrEqual(1_000)
    expect(rest.isWellFormed()).toBe(true)
  })

  test('names each constraint once, and eight of a kind', () => {
    const read = (query: string, symbols: string[] = []) =>
      describeConstraints(parseQuestion(query.slice(0, LONGEST), symbols).constraints)
    expect(read('not usdc '.repeat(60))).toEqual(['asset!=USDC'])
    const symbols = Array.from({ length: 50 }, (_, at) => `A${at}`)
    expect(read(symbols.map((symbol) => `not ${symbol}`).join(' '), symbols)).toHaveLength(8)
  })

  test.each(['under 0.%s1 dollars', 'max price 0.%s1', '$0.%s1 or less', 'under %s9 base units'])(
    'names no price of hundreds of digits: %s',
    (query) => {
      const { constraints } = parseQuestion(query.replace('%s', '0'.repeat(400)))
      expect(constraints.maxPrices).toEqual([])
    },
  )
})
