import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptCursorSecret } from '../../../src/catalog/store/discovery/discovery-cursor-secret.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterAll(() => store.close())

test('the first candidate becomes the secret of search cursors, for every replica', async () => {
  const candidates = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(64))
  const kept = await Promise.all(candidates.map((each) => keptCursorSecret(store.db, each)))
  expect(new Set(kept).size).toBe(1)
  expect(candidates).toContain(kept[0])
  expect(await keptCursorSecret(store.db, 'f'.repeat(64))).toBe(kept[0])
})
