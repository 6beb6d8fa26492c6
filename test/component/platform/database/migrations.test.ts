import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { migrate, schemaState } from '../../../../src/platform/database/migrate.ts'
import { migrations } from '../../../../src/platform/database/migrations/index.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { databaseRoutes, missingFor, reachedBy } from '../../../support/database-routes.ts'
import {
  contractName,
  expandName,
  nextVersion,
  versionAfterNext,
} from '../../../support/later-migrations.ts'
import { bareDatabase, freshDatabase } from '../../../support/postgres.ts'

async function openBareStore(): Promise<Store> {
  const database = await bareDatabase()
  const store = await openStore({ kind: 'postgres', url: database.url })
  const close = async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  }
  return { ...store, close, [Symbol.asyncDispose]: close }
}

const tables = async ({ db }: Store) => {
  const found = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public'`.execute(db)
  return found.rows.map(({ name }) => name)
}

describe('migrating a store', () => {
  it('is pending on an empty database, and the check writes nothing', async () => {
    await using store = await openBareStore()
    expect(await store.pendingMigrations()).toEqual(Object.keys(migrations))
    expect(await tables(store)).toEqual([])
  })

  it('runs every pending migration once', async () => {
    await using store = await openBareStore()
    const pending = await store.pendingMigrations()
    expect(await store.migrate()).toEqual(pending)
    expect(await store.migrate()).toEqual([])
    expect(await store.pendingMigrations()).toEqual([])
  })

  it('runs what the next versions add, each alone', async () => {
    await using store = await openBareStore()
    await store.migrate()
    expect(await migrate(store.db, nextVersion)).toEqual([expandName])
    expect(await migrate(store.db, versionAfterNext)).toEqual([contractName])
  })

  it('after a rollback has nothing to do where a newer version only added, and refuses where it removed', async () => {
    await using store = await openBareStore()
    await migrate(store.db, nextVersion)
    expect(await store.migrate()).toEqual([])
    expect(await store.schemaState()).toEqual({
      missing: [],
      unknown: [expandName],
      newer: undefined,
    })
    await migrate(store.db, versionAfterNext)
    await expect(store.migrate()).rejects.toThrow(
      `the database has ${contractName}, which this version does not know (its newest migration is ${Object.keys(migrations).at(-1)}): run a newer version`,
    )
    expect(await migrate(store.db, nextVersion)).toEqual([])
    expect(await schemaState(store.db, nextVersion)).toEqual({
      missing: [],
      unknown: [contractName],
      newer: undefined,
    })
  })
})

describe('migrating one Postgres from several processes', () => {
  it.for(databaseRoutes)('runs every migration once, reached %s', async (route, { skip }) => {
    const missing = missingFor(route)
    if (missing !== undefined) return skip(missing)
    await using database = await reachedBy(route, bareDatabase())
    const open = () => openStore({ kind: 'postgres', url: database.url })
    const stores = await Promise.all([open(), open(), open()])
    try {
      const ran = await Promise.all(stores.map((store) => store.migrate()))
      expect(ran.flat()).toEqual(Object.keys(migrations))
    } finally {
      await Promise.all(stores.map((store) => store.close()))
    }
  })

  it('leaves the schema as it was when a migration fails', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    await sql`create table channels (id integer)`.execute(store.db)
    await expect(store.migrate()).rejects.toThrow(/"channels" already exists/)
    expect(await tables(store)).not.toContain('settlements')
    expect(await store.pendingMigrations()).toEqual(Object.keys(migrations))
  })

  it('gives up while a backup holds the tables, rather than let payments queue behind it', async () => {
    await using database = await bareDatabase()
    // Without a limit of its own, a migration would wait for as long as a statement may.
    await using store = await openStore({
      kind: 'postgres',
      url: database.url,
      statementTimeoutMs: 600_000,
    })
    await using backup = await openStore({ kind: 'postgres', url: database.url })
    await store.migrate()
    await backup.db.transaction().execute(async (transaction) => {
      await sql`lock table settlements in access share mode`.execute(transaction)
      await expect(migrate(store.db, nextVersion)).rejects.toThrow(
        /has held a table locked for more than 2 s/,
      )
    })
    expect(await store.schemaState()).toMatchObject({ missing: [], unknown: [] })
    expect(await migrate(store.db, nextVersion)).toEqual([expandName])
  })

  it('adds nothing to a database that has a later migration but lacks one of this version', async () => {
    await using database = await freshDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    await sql`update kysely_migration set name = '9999-of-another-line'
      where name = '0002-catalog'`.execute(store.db)
    await expect(store.migrate()).rejects.toThrow(
      'the database has 9999-of-another-line, which this version does not know, but lacks 0002-catalog: run a version that has both',
    )
  })
})
