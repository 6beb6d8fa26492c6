import { afterEach, expect, test } from 'vitest'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import {
  type IndexBuilder,
  startIndexBuilder,
} from '../../../../src/catalog/search/worker/index-builder.ts'
import { CATALOG } from './documents.ts'

let builder: IndexBuilder | undefined
afterEach(() => builder?.close())

test('the worker builds the index that this thread would build', async () => {
  builder = startIndexBuilder()
  const built = await builder.build(CATALOG)
  expect(built).toEqual(buildSearchIndex(CATALOG, await loadWordVectors()))
})

test('a closed builder builds nothing', async () => {
  builder = startIndexBuilder()
  await builder.close()
  await expect(builder.build(CATALOG)).rejects.toThrow('closed')
})
