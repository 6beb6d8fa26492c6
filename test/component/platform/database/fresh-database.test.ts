import { expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'

test('a test database has the whole schema', async () => {
  await using database = await freshDatabase()
  const options = { kind: 'postgres', poolSize: 1, statementTimeoutMs: 5_000 } as const
  await using store = await openStore({ ...options, url: database.url })
  expect(await store.pendingMigrations()).toEqual([])
})
