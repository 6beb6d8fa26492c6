import { expect, test } from 'vitest'
import type { CatalogFilters } from '../../../../src/catalog/filters/catalog-filters.ts'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { RANKING } from '../../../../src/catalog/search/rank/settings.ts'
import { searchCatalog } from '../../../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { CATALOG, listing } from './documents.ts'

const words = await loadWordVectors()
const hybrid = buildSearchIndex(CATALOG, words)
const lexical = buildSearchIndex(CATALOG, null)

const idsOf = (query: string, filters: CatalogFilters = {}): string[] =>
  searchCatalog(hybrid, words, { query, filters }).ranked.map(({ key }) => key)

test('the listing that has the words of the query comes first', () => {
  expect(idsOf('weather forecast')[0]).toBe('weather')
  expect(searchCatalog(hybrid, words, { query: 'weather', filters: {} }).method).toBe('hybrid')
})

test('without word vectors the search compares words only, and says so', () => {
  const result = searchCatalog(lexical, null, { query: 'weather forecast', filters: {} })
  expect(result.method).toBe('lexical')
  expect(result.ranked.map(({ key }) => key)).toEqual(['weather'])
})

test('a query of constraints alone lists what meets them in catalog order', () => {
  const result = searchCatalog(hybrid, words, { query: 'on testnet', filters: {} })
  expect(result.method).toBe('filter')
  expect(result.recognised).toEqual(['network=stellar:testnet'])
  expect(result.ranked.map(({ key }) => key)).toEqual([
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

test('vectors of an embeddings endpoint rank when the request has one, else the shipped ones', () => {
  const rows = new Float32Array(CATALOG.length * 2)
  for (const at of CATALOG.keys()) rows.set(at === 3 ? [1, 0] : [0, 1], 2 * at)
  const dense = buildSearchIndex(CATALOG, words, { dimensions: 2, rows })
  const request = { query: 'what do I owe the supplier', filters: {} }
  const found = searchCatalog(dense, words, { ...request, vector: Float32Array.of(1, 0) })
  expect([found.ranked[0]?.key, found.method]).toEqual(['invoice', 'hybrid'])
  expect(searchCatalog(dense, words, request)).toEqual(searchCatalog(hybrid, words, request))
})

test('below the similarity floor a listing is found by its words only', () => {
  const rank = (
    rows: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>,
    similarityFloor: number,
    count: number,
  ) => {
    const others = Array.from({ length: count }, (_, at) => listing({ id: `listing ${at}` }))
    const documents = [listing({ id: 'near' }), listing({ id: 'named', name: 'ferry' }), ...others]
    const dense = buildSearchIndex(documents, words, { dimensions: 2, rows })
    const request = { query: 'ferry', filters: {}, vector: Float32Array.of(1, 0) }
    return searchCatalog(dense, words, request, { ...RANKING, similarityFloor })
      .ranked.map(({ key }) => key)
      .sort()
  }
  const far = (count: number) => Array.from({ length: count + 1 }, () => [0.1, 0.99]).flat()
  for (const count of [1, 60]) {
    const rows = Float32Array.from([0.4, 0.91, ...far(count)])
    const bytes = Int8Array.from(rows, (value) => Math.round(127 * value))
    for (const each of [rows, bytes]) {
      expect(rank(each, 0.3, count)).toEqual(['named', 'near'])
      expect(rank(each, 0.5, count)).toEqual(['named'])
    }
  }
  expect(rank(Float32Array.from([0.4, 0.91, ...far(1)]), -1, 1)).toHaveLength(3)
})

test('vectors in 8-bit integers rank as those in floats do', () => {
  const many = Array.from({ length: 60 }, (_, at) => listing({ id: `listing ${at}` }))
  const floats = Float32Array.from({ length: 120 }, (_, i) => (i % 2 === 1 ? i / 120 : 0))
  const bytes = Int8Array.from(floats, (value) => Math.round(127 * value))
  const request = { query: 'anything', filters: {}, vector: Float32Array.of(0, 1) }
  const idsWith = (rows: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>): string[] =>
    searchCatalog(buildSearchIndex(many, words, { dimensions: 2, rows }), words, request)
      .ranked.slice(0, 3)
      .map(({ key }) => key)
  expect(idsWith(bytes)).toEqual(idsWith(floats))
})
