/**
 * The program of the previous version on the schemas of later ones, as after a rollback: of the last release, and before the first one of
 * this checkout.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LEAST_MIGRATION } from '../../../../src/kubernetes/operator/channel-pool/connect/schema.ts'
import { migrate } from '../../../../src/platform/database/migrate.ts'
import { type Migrations, migrations } from '../../../../src/platform/database/migrations/index.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { secretOfSeed } from '../../../../src/stellar/accounts/signer.ts'
import { previousTree, type Tree } from '../../../../tools/e2e-upgrade/trees.ts'
import { nextVersion, versionAfterNext } from '../../../support/later-migrations.ts'
import { faultsOf } from '../../../support/migration-names.ts'
import { freshDatabase } from '../../../support/postgres.ts'

const root = new URL('../../../../', import.meta.url).pathname

let tree: Tree
beforeAll(async () => {
  tree = await previousTree(root, await mkdtemp(join(tmpdir(), 'svc-previous-')))
  await symlink(join(root, 'node_modules'), join(tree.folder, 'node_modules'))
})
afterAll(() => rm(tree.folder, { recursive: true, force: true }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function svc(databaseUrl: string, command: string): ChildProcess {
  const child = spawn(process.execPath, [join(tree.folder, 'bin/svc'), command], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      DATABASE_URL: databaseUrl,
      TESTNET_RPC_URL: 'https://127.0.0.1:9',
      TESTNET_SPONSOR_SECRET: secretOfSeed(randomBytes(32)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

async function migratedBy(version: Migrations) {
  const database = await freshDatabase()
  await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
  await migrate(store.db, version)
  return database
}

const foldersOf = (folder: string) => join(folder, 'src/platform/database/migrations')
const filesOf = async (folder: string) => {
  const files = await readdir(foldersOf(folder), { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile() && file.name !== 'index.ts')
    .map(({ parentPath, name }) => relative(foldersOf(folder), join(parentPath, name)))
}

test('its migrations are all here, with names that allow a rollback', async () => {
  const released = (await filesOf(tree.folder))
    .filter((file) => dirname(file) === '.' && /^\d/.test(file))
    .map((file) => basename(file, '.ts'))
  expect(released.length).toBeGreaterThan(0)
  expect(faultsOf(Object.keys(migrations), released)).toEqual([])
  // Pools of Facilitators with its image stay managed.
  expect(released).toContain(LEAST_MIGRATION)
})

test('none of its migrations was edited since', async () => {
  for (const file of await filesOf(tree.folder)) {
    const [then, now] = await Promise.all(
      [tree.folder, root].map((folder) => readFile(join(foldersOf(folder), file), 'utf8')),
    )
    expect(now, file).toBe(then)
  }
})

test.for([
  {
    by: 'the next version: it finds nothing to migrate, and says so',
    version: nextVersion,
    code: 0,
    says: 'nothing was migrated',
  },
  {
    by: 'the version after the next: it refuses',
    version: versionAfterNext,
    code: 1,
    says: 'which this version does not know',
  },
])('migrates a database of $by', async ({ version, code, says }) => {
  await using database = await migratedBy(version)
  const child = svc(database.url, 'migrate')
  const said = Promise.all([text(child.stdout!), text(child.stderr!)])
  const [ended] = await once(child, 'exit')
  expect({ code: ended, said: (await said).join('') }).toEqual({
    code,
    said: expect.stringContaining(says),
  })
})

test('starts, and finds the schema good', async () => {
  await using database = await migratedBy(nextVersion)
  const { stdout } = svc(database.url, 'facilitator')
  for await (const line of createInterface(stdout!)) {
    const { adminUrl } = JSON.parse(line)
    if (adminUrl === undefined) continue
    const answer = await fetch(`${adminUrl}/readyz`)
    expect(await answer.json()).toMatchObject({
      checks: { store: { ok: true }, schema: { ok: true } },
    })
    return
  }
  throw new Error('it ended before it listened')
})
