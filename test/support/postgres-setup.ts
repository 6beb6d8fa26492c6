import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { openStore } from '../../src/store/open.ts'
import { administer, databaseOf, TEMPLATE } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One Postgres for the whole run, with a migrated database to copy from. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await startEmbeddedPostgres()
  await administer(server.url, `create database ${TEMPLATE}`)
  await using store = await openStore({
    kind: 'postgres',
    url: databaseOf(server.url, TEMPLATE),
    poolSize: 1,
    statementTimeoutMs: 10_000,
  })
  await store.migrate()
  project.provide('postgresUrl', server.url)
  return () => server.close()
}
