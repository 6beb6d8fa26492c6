import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { administer, databaseOf, TEMPLATE } from './postgres-server.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

/** A database of its own, schema up to date; dropped when disposed of. */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `svc_${randomUUID().replaceAll('-', '')}`
  await administer(server, `create database ${name} template ${TEMPLATE}`)
  return {
    url: databaseOf(server, name),
    [Symbol.asyncDispose]: () => administer(server, `drop database ${name} with (force)`),
  }
}
