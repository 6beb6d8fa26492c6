import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { bareDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'

/** The number that migrations lock (src/platform/database/migrate.ts). */
const LOCK = 3_853_314_791_062_309_107n
const script = svcProgram()

/*
 * As the first process of a container, svc receives only signals that it listens for. A process that listens ends with a
 * code; one that does not ends by the signal, and in a container it does not end.
 */
test('svc migrate in a container listens for SIGTERM, and undoes what it has begun', async () => {
  await using database = await bareDatabase()
  await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url }
  await store.db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(holder)
    const migrate = spawn(process.execPath, [script, 'migrate'], { env })
    const said = text(migrate.stderr)
    const ended = once(migrate, 'exit')
    while (!(await isWaiting(store.db))) await delay(20)
    migrate.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
    expect(await said).toBe('svc migrate: stopped by SIGTERM before it was done\n')
  })
  expect((await store.schemaState()).missing).not.toEqual([])
})

async function isWaiting(db: Parameters<ReturnType<typeof sql>['execute']>[0]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and not granted and datname = current_database()`.execute(db)
  return rows.length > 0
}
