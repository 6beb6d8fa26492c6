/** The program of the previous release on the schema of this tree, as after a rollback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secretOfSeed } from '../../../src/stellar/signer.ts'
import { openStore } from '../../../src/store/open.ts'
import { checkOut, previousRelease, type Tree } from '../../../tools/e2e-upgrade/trees.ts'
import { freshDatabase } from '../../support/postgres.ts'

const root = new URL('../../../', import.meta.url).pathname
const found = await previousRelease(root)
const missing = 'missing' in found ? found.missing : undefined

let tree: Tree
beforeAll(async () => {
  if ('missing' in found) return
  tree = await checkOut(root, found, await mkdtemp(join(tmpdir(), 'svc-previous-')))
  await symlink(join(root, 'node_modules'), join(tree.folder, 'node_modules'))
})
afterAll(async () => {
  if (missing === undefined) await rm(tree.folder, { recursive: true, force: true })
})

const released = test.extend('svc', async ({ skip }, { onCleanup }) => {
  if (missing !== undefined) skip(missing)
  const children: ChildProcess[] = []
  onCleanup(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  return (databaseUrl: string, command: string) => {
    const child = spawn(process.execPath, [join(tree.folder, 'src/cli/svc.ts'), command], {
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
})

async function migratedFurther() {
  const database = await freshDatabase()
  await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
  await sql`insert into kysely_migration (name, timestamp) values ('9998-later', 'now')`.execute(
    store.db,
  )
  return database
}

released('finds nothing to migrate, and says so', async ({ svc }) => {
  await using database = await migratedFurther()
  const child = svc(database.url, 'migrate')
  const said = Promise.all([text(child.stdout!), text(child.stderr!)])
  const [code] = await once(child, 'exit')
  expect({ code, said: (await said).join('') }).toEqual({
    code: 0,
    said: expect.stringContaining('nothing was migrated'),
  })
})

released('starts, and finds the schema good', async ({ svc }) => {
  await using database = await migratedFurther()
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
