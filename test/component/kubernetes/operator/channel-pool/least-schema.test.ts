import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  LEAST_MIGRATION,
  requireSchema,
} from '../../../../../src/kubernetes/operator/channel-pool/connect/schema.ts'
import { migrate, schemaState } from '../../../../../src/platform/database/migrate.ts'
import { openStore, type Store } from '../../../../../src/platform/database/open.ts'
import {
  contractName,
  expandName,
  nextVersion,
  versionAfterNext,
} from '../../../../support/later-migrations.ts'
import { bareDatabase } from '../../../../support/postgres.ts'
import { openEmptyStore } from '../../../platform/database/open-stores.ts'

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterAll(() => store.close())

test('a pool of a pinned Facilitator stays managed when the operator is upgraded', async () => {
  const upgraded = { ...store, schemaState: () => schemaState(store.db, nextVersion) }
  expect((await upgraded.schemaState()).missing).toEqual([expandName])
  expect(await requireSchema(upgraded)).toMatchObject({ unknownMigration: undefined })
})

test('a database without a migration that the code of pools needs is not written to', async () => {
  await using database = await bareDatabase()
  await using bare = await openStore({ kind: 'postgres', url: database.url })
  await expect(requireSchema(bare)).rejects.toMatchObject({
    reason: 'StoreSchemaOutdated',
    message: expect.stringContaining(
      `lacks 1 migrations that this operator needs, the last one ${LEAST_MIGRATION}`,
    ),
  })
})

test('a database that a newer version only extended is managed, and one that it changed is not', async () => {
  await using store = await openEmptyStore()
  await migrate(store.db, nextVersion)
  expect(await requireSchema(store)).toMatchObject({ unknownMigration: expandName })
  await migrate(store.db, versionAfterNext)
  await expect(requireSchema(store)).rejects.toMatchObject({
    reason: 'StoreSchemaNewer',
    message: expect.stringContaining(contractName),
  })
})
