/** A replica of the previous release works while a newer version migrates its database, and after that. */
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../../src/store/migrations/index.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { leastMigrationFor } from '../../../src/store/schema-newer.ts'
import { latestRelease } from '../../../tools/e2e-upgrade/releases.ts'
import { bareDatabase, type TestDatabase } from '../../support/postgres.ts'
import { breaksOf, type SchemaShape, shapeOf, textOf } from '../../support/schema-shape.ts'

const { version, newestMigration } = latestRelease
const names = Object.keys(migrations).toSorted()

let database: TestDatabase
let store: Store
let released: SchemaShape

async function migrateTo(last: string): Promise<SchemaShape> {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last)),
  }
  const { error } = await new Migrator({ db: store.db, provider }).migrateToLatest()
  if (error !== undefined) throw error
  return shapeOf(store.db)
}

beforeAll(async () => {
  database = await bareDatabase()
  store = await openStore({ kind: 'postgres', url: database.url })
  released = await migrateTo(newestMigration)
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

test(`the migrations of release ${version} were not edited: they give the schema that it had`, async () => {
  await expect(textOf(released)).toMatchFileSnapshot(`../../fixtures/schemas/${version}.txt`)
})

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
])('what the previous release would notice of "%s" is found', async (statement, breaks) => {
  expect(breaksOf(released, await after(statement))).toEqual(expect.arrayContaining(breaks))
  if (breaks.length === 0) expect(breaksOf(released, await after(statement))).toEqual([])
})

test('each migration since that release only adds, unless its name says "contract"', async () => {
  let before = released
  for (const name of names.filter((each) => each > newestMigration)) {
    const now = await migrateTo(name)
    expect(leastMigrationFor(name) !== undefined ? [] : breaksOf(before, now), name).toEqual([])
    before = now
  }
})
