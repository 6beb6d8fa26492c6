/** What a listing and a question can cost, whatever they say. */
import { expect, test } from 'vitest'
import { analyseDocument } from '../../../../src/catalog/search/index/analyse-document.ts'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { termOf, wordOf } from '../../../../src/catalog/search/index/term-table.ts'
import { buildTextIndex } from '../../../../src/catalog/search/index/text-index.ts'
import { MAX_COMPARISONS, nearestTerm } from '../../../../src/catalog/search/index/typo-index.ts'
import { queryTerms } from '../../../../src/catalog/search/query/query-terms.ts'
import { softCoverage } from '../../../../src/catalog/search/rank/soft-coverage.ts'
import { countOf, hasVector } from '../../../../src/catalog/search/vectors/format.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { documentOf, readListings } from '../../../../tools/eval/judged-set.ts'

const words = await loadWordVectors()
if (words === null) throw new Error('the word vectors that ship with the project are missing')
const known = Array.from({ length: countOf(words.stems) }, (_, id) =>
  wordOf(words.stems, id),
).filter((stem) => /^[a-z]{5,8}$/.test(stem))
const judged = readListings().map(documentOf)
const textOf = (description: string) => ({
  ...{ name: 'Weather', host: 'api.example.com', path: '/weather', tags: [], schema: '' },
  description,
})
const documentWith = (description: string) => ({
  ...(judged[0] as (typeof judged)[number]),
  text: textOf(description),
})
/** The letters of `abcdefgh` in different orders: the same length, the same letters. */
const anagrams = (count: number): string[] => {
  const rest = [...'abcdefgh']
  return Array.from({ length: count }, (_, n) => {
    let left = n
    const letters = [...rest]
    return rest
      .map((_, at) => {
        const radix = rest.length - at
        const [letter] = letters.splice(left % radix, 1)
        left = Math.floor(left / radix)
        return letter
      })
      .join('')
  })
}

test('a listing brings few invented words into the index, and not many words at all', () => {
  const stemsOf = (text: string) => new Set(analyseDocument(textOf(text), words).stems.flat())
  const invented = anagrams(400).join(' ')
  expect([...stemsOf(invented)].filter((stem) => !hasVector(words, stem))).toHaveLength(64)
  expect(stemsOf(known.slice(0, 400).join(' ')).size).toBe(150)
  for (const { text } of judged) {
    const stems = new Set(analyseDocument(text, words).stems.flat())
    expect(stems.size).toBeLessThanOrEqual(150 / 4)
  }
})

test('an index that has as many terms as may be takes no new ones but words', () => {
  const { terms } = buildTextIndex(
    [[['weather', 'xqzzt']], [['forecast', 'qqrst', 'weather']]],
    (stem) => hasVector(words, stem),
    2,
  )
  const isTerm = (word: string) => termOf(terms, word) !== undefined
  expect(['weather', 'xqzzt', 'forecast', 'qqrst'].map(isTerm)).toEqual([true, true, true, false])
})

test('a question compares its unknown words with a bounded number of terms', () => {
  const alike = anagrams(6_400)
  const index = buildSearchIndex(
    Array.from({ length: 100 }, (_, n) => documentWith(alike.slice(n * 64, n * 64 + 64).join(' '))),
    words,
  )
  const comparisons = { left: MAX_COMPARISONS }
  for (let n = 0; n < 12; n++)
    nearestTerm(index.typos, index.text.terms, `abcdefg${n}h`, () => 1, comparisons)
  expect(comparisons.left).toBe(0)
  expect(nearestTerm(index.typos, index.text.terms, alike[0] as string, () => 1, comparisons)).toBe(
    undefined,
  )
})

test('a question has at most forty words', () => {
  const index = buildSearchIndex(judged, words)
  expect(queryTerms(known.slice(0, 80).join(' '), index, words, true).all).toHaveLength(40)
})

test('a question is compared with the first words of a document, and by its weightiest words', () => {
  const filler = known.slice(0, 120)
  const index = buildSearchIndex(
    [documentWith('forecast'), documentWith([...filler, 'forecast'].join(' '))],
    words,
  )
  const coverage = softCoverage(index, null, queryTerms('forecast', index, null, false), [0, 1])
  expect(coverage).toEqual([1, 0])
})
