import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEAST_MIGRATION, requireSchema } from '../../../src/operator/channel-pool/schema.ts'
import { migrations } from '../../../src/store/migrations/index.ts'
import type { Store } from '../../../src/store/open.ts'
import { openEmptyStore } from '../store/open-stores.ts'

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterAll(() => store.close())

const forget = (name: string) =>
  sql`delete from kysely_migration where name = ${name}`.execute(store.db)
const record = (name: string) =>
  sql`insert into kysely_migration (name, timestamp) values (${name}, now()::text)`.execute(
    store.db,
  )

test('a pool of a pinned Facilitator stays managed when the operator is upgraded', async () => {
  const later = Object.keys(migrations).filter((name) => name > LEAST_MIGRATION)
  expect(later.length).toBeGreaterThan(0)
  await sql`drop table store_identity`.execute(store.db)
  for (const name of later) await forget(name)
  expect(await requireSchema(store)).toEqual({ storeId: undefined, unknownMigration: undefined })
})

test('a database without a migration that the code of pools needs is not written to', async () => {
  await forget(LEAST_MIGRATION)
  await expect(requireSchema(store)).rejects.toMatchObject({
    reason: 'StoreSchemaOutdated',
    message: expect.stringContaining(
      `lacks 1 migrations that this operator needs, the last one ${LEAST_MIGRATION}`,
    ),
  })
  await record(LEAST_MIGRATION)
})

test('a database that a newer version only extended is managed, and one that it changed is not', async () => {
  await record('9998-more')
  expect(await requireSchema(store)).toMatchObject({ unknownMigration: '9998-more' })
  await record('9999-contract-9998-less')
  await expect(requireSchema(store)).rejects.toMatchObject({
    reason: 'StoreSchemaNewer',
    message: expect.stringContaining('9999-contract-9998-less'),
  })
})
