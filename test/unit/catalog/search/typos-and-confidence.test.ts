import { expect, test } from 'vitest'
import { editDistance } from '../../../../src/catalog/search/index/edit-distance.ts'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { RANKING } from '../../../../src/catalog/search/rank/settings.ts'
import { searchCatalog } from '../../../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { documentOf, readListings } from '../../../../tools/eval/judged-set.ts'

const words = await loadWordVectors()
const index = buildSearchIndex(readListings().map(documentOf), words)
const search = (query: string, settings = RANKING) =>
  searchCatalog(index, words, { query, filters: {} }, settings)
const firstOf = (query: string): string[] =>
  search(query)
    .ranked.slice(0, 5)
    .map(({ key }) => key)

const codes = (word: string): number[] => [...word].map((letter) => letter.charCodeAt(0))

test.each([
  ['weather', 'weather', 0],
  ['weather', 'wether', 1],
  ['weather', 'waether', 1],
  ['forecast', 'forcats', 2],
  ['weather', 'whether', 2],
])('%s and %s are %i edits apart', (one, other, edits) => {
  expect(editDistance(codes(one), codes(other), 3)).toBe(edits)
})

test.each([
  ['invoise extracton', 'extract-invoice'],
  ['trnaslate documnets', 'translate-document'],
  ['thumbnial', 'thumbgrab'],
])('"%s" is understood in spite of its misspellings', (query, id) => {
  expect(firstOf(query)).toContain(id)
})

test.each([
  ['Strompreis heute', 'strompreis-jetzt'],
  ['Rechnung auslesen', 'belegscanner'],
  ['traductor de español', 'traduceya'],
])('"%s" finds a listing of its language', (query, id) => {
  expect(firstOf(query)).toContain(id)
})

test.each(['zzkrfp', 'blorp frumious', '!?'])('"%s" has no answer of its own', (query) => {
  const { ranked, method } = search(query)
  if (method !== 'filter') expect(ranked).toEqual([])
})

test('what exists, and not under the constraints asked for, has no answer', () => {
  expect(firstOf('translate text').length).toBe(5)
  expect(search('translate text with the upto scheme, paid in XLM').ranked).toEqual([])
})

test.each(['eyeglasses prescription check'])(
  '"%s" names a thing that nothing here sells, and has no answer',
  (query) => {
    expect(search(query).ranked).toEqual([])
  },
)

test('a sentence may share no word with its answer, so it needs less to have one', () => {
  expect(search('is it safe to open what they sent me').ranked.length).toBeGreaterThan(0)
})

test('listings that are far below the best one are left out', () => {
  const far = search('weather forecast', { ...RANKING, tailKept: 0 }).ranked.length
  const kept = search('weather forecast', { ...RANKING, tailKept: 0.6 }).ranked
  expect(kept.length).toBeLessThan(far)
  expect(kept.map(({ key }) => key)).toContain('skycast')
})
