import { expect, test } from 'vitest'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import type { SearchFilters } from '../../../../src/catalog/search/query/filters.ts'
import { searchCatalog } from '../../../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { CATALOG } from './documents.ts'

const words = await loadWordVectors()
const hybrid = buildSearchIndex(CATALOG, words)
const lexical = buildSearchIndex(CATALOG, null)

const idsOf = (query: string, filters: SearchFilters = {}): string[] =>
  searchCatalog(hybrid, words, { query, filters }).ranked.map(({ id }) => id)

test('the listing that has the words of the query comes first', () => {
  expect(idsOf('weather forecast')[0]).toBe('weather')
  expect(searchCatalog(hybrid, words, { query: 'weather', filters: {} }).method).toBe('hybrid')
})

test('without word vectors the search compares words only, and says so', () => {
  const result = searchCatalog(lexical, null, { query: 'weather forecast', filters: {} })
  expect(result.method).toBe('lexical')
  expect(result.ranked.map(({ id }) => id)).toEqual(['weather'])
})

test('a query of constraints alone lists what meets them in catalog order', () => {
  const result = searchCatalog(hybrid, words, { query: 'on testnet', filters: {} })
  expect(result.method).toBe('filter')
  expect(result.recognised).toEqual(['network=stellar:testnet'])
  expect(result.ranked.map(({ id }) => id)).toEqual([
    'weather',
    'translate',
    'geocode',
    'thumbnail',
  ])
})

test('filters hold together with the constraints in the words', () => {
  expect(idsOf('on testnet', { type: 'mcp' })).toEqual(['translate'])
  expect(idsOf('on testnet', { network: 'stellar:pubnet' })).toEqual([])
  expect(idsOf('on pubnet', { maxPrice: '0.049' })).toEqual([])
  expect(idsOf('on testnet', { asset: 'usdc', maxPrice: '0.0009' })).toEqual([])
  expect(idsOf('on testnet', { asset: 'USDC', maxPrice: '0.001' })).toHaveLength(4)
})
