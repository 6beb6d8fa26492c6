import { afterEach, expect, test } from 'vitest'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import {
  type IndexBuilder,
  startIndexBuilder,
} from '../../../../src/catalog/search/worker/index-builder.ts'
import { CATALOG, listing } from './documents.ts'

const words = await loadWordVectors()
let builder: IndexBuilder | undefined
afterEach(() => builder?.close())

test('the worker builds the index that this thread would build', async () => {
  builder = startIndexBuilder(words)
  const built = await builder.build(CATALOG)
  expect(built).toEqual(buildSearchIndex(CATALOG, words))
})

test('documents that are the same objects as in the build before are not read again', async () => {
  builder = startIndexBuilder(words)
  await builder.build(CATALOG)
  const kept = CATALOG.slice(1)
  const changed = listing({ id: 'new', description: 'Tells the tide of a harbour' })
  expect(await builder.build([...kept, changed])).toEqual(
    buildSearchIndex([...kept, changed], words),
  )
  // One that left and came back, and one that is listed twice.
  const again = [...CATALOG, changed, changed]
  expect(await builder.build(again)).toEqual(buildSearchIndex(again, words))
})

test('builds that are asked for at once run one after the other', async () => {
  builder = startIndexBuilder(words)
  const [one, all] = await Promise.all([builder.build(CATALOG.slice(0, 1)), builder.build(CATALOG)])
  expect([one.text.size, all.text.size]).toEqual([1, CATALOG.length])
})

test('after a document that cannot be read the next build succeeds', async () => {
  builder = startIndexBuilder(words)
  const broken = listing({ id: 'broken', tags: null as unknown as string[] })
  await expect(builder.build([broken, ...CATALOG])).rejects.toThrow('could not be built')
  expect((await builder.build(CATALOG)).text.size).toBe(CATALOG.length)
})

test('a closed builder builds nothing', async () => {
  builder = startIndexBuilder(words)
  await builder.close()
  await expect(builder.build(CATALOG)).rejects.toThrow('closed')
})
