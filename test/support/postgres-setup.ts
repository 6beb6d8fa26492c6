import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { administer, databaseOf, TEMPLATE } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** A server of another version, for the cells of docs/support-matrix.md: the URL of a superuser. */
const ownServer = process.env['TEST_POSTGRES_URL']

/**
 * One Postgres for the whole run, with a migrated database to copy from: an embedded one, or that of TEST_POSTGRES_URL.
 * Tests that kill or pair servers start embedded ones of their own in both cases.
 */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = ownServer
    ? { url: ownServer, close: () => administer(ownServer, `drop database ${TEMPLATE}`) }
    : await startEmbeddedPostgres()
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
