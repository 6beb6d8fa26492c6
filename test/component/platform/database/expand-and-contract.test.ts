/** A replica of this version works while the next one migrates its database, and after that. */
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../../../src/platform/database/migrations/index.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { leastMigrationFor } from '../../../../src/platform/database/schema-newer.ts'
import { contractName, versionAfterNext } from '../../../support/later-migrations.ts'
import { bareDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { breaksOf, type SchemaShape, shapeOf } from '../../../support/schema-shape.ts'

const names = Object.keys(migrations).toSorted()
const laterNames = Object.keys(versionAfterNext).toSorted()

let database: TestDatabase
let store: Store
/** The schema after each migration. */
const shapes = new Map<string, SchemaShape>()
let present: SchemaShape

async function migrateTo(last: string): Promise<SchemaShape> {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(Object.entries(versionAfterNext).filter(([name]) => name <= last)),
  }
  const { error } = await new Migrator({ db: store.db, provider }).migrateToLatest()
  if (error !== undefined) throw error
  return shapeOf(store.db)
}

beforeAll(async () => {
  database = await bareDatabase()
  store = await openStore({ kind: 'postgres', url: database.url })
  for (const name of names) shapes.set(name, await migrateTo(name))
  present = shapes.get(names.at(-1) ?? '') ?? new Map()
})
afterAll(async () => {
  await store.close()
  await database[Symbol.asyncDispose]()
})

/** The schema after a statement, which is undone. */
async function after(statement: string): Promise<SchemaShape> {
  const done = new Error('to undo it')
  let shape: SchemaShape | undefined
  const tried = store.db.transaction().execute(async (transaction) => {
    await sql.raw(statement).execute(transaction)
    shape = await shapeOf(transaction)
    throw done
  })
  await tried.catch((error: unknown) => {
    if (error !== done) throw error
  })
  if (!shape) throw new Error('the statement was not run')
  return shape
}

test.each([
  ['alter table settlements add column note text', []],
  ["alter table settlements add column note text not null default ''", []],
  ['create table notes (id int primary key)', []],
  ['create index settlements_by_seller on settlements (pay_to)', []],
  ['alter table settlements drop column pay_to', ['column settlements.pay_to is gone']],
  ['alter table settlements rename column pay_to to seller', ['column settlements.pay_to is gone']],
  ['drop table rate_windows', [expect.stringContaining('rate_windows')]],
  [
    'alter table settlements add column note text not null',
    ['column settlements.note is new: text not null'],
  ],
  [
    'alter table settlements alter column pay_to type varchar(99)',
    [
      expect.stringMatching(
        /^column settlements\.pay_to was text.*, and is character varying\(99\)/,
      ),
    ],
  ],
  [
    "alter table settlements add constraint short check (pay_to <> '')",
    [expect.stringContaining('constraint short on settlements is new: CHECK')],
  ],
  [
    'create unique index one_account on channels (account)',
    [expect.stringContaining('unique index one_account on channels is new')],
  ],
])('what this version would notice of "%s" is found', async (statement, breaks) => {
  expect(breaksOf(present, await after(statement))).toEqual(expect.arrayContaining(breaks))
  if (breaks.length === 0) expect(breaksOf(present, await after(statement))).toEqual([])
})

test('each migration only adds to what those before it made, unless its name says "contract"', async () => {
  for (const name of laterNames.slice(names.length)) shapes.set(name, await migrateTo(name))
  const broken = laterNames.filter((name, at) => {
    const before = shapes.get(laterNames[at - 1] ?? '') ?? new Map()
    return breaksOf(before, shapes.get(name) ?? new Map()).length > 0
  })
  expect(broken).toEqual(laterNames.filter((name) => leastMigrationFor(name) !== undefined))
  expect(broken).toEqual([contractName])
})
