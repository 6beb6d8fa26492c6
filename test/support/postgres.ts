import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { administer, databaseOf, TEMPLATE } from './postgres-server.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

/**
 * Creates a migrated database; disposal drops it. The server copies the template's files: writing them to its log page
 * by page, as it does by default, takes it three times the processor time. Emptying the tables of one takes longer, too.
 */
export const freshDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${TEMPLATE} strategy file_copy`)

/** The same without the schema. */
export const bareDatabase = (): Promise<TestDatabase> => createDatabase()

async function createDatabase(options = ''): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `svc_${randomUUID().replaceAll('-', '')}`
  await administer(server, `create database ${name} ${options}`)
  return {
    url: databaseOf(server, name),
    [Symbol.asyncDispose]: () => administer(server, `drop database ${name} with (force)`),
  }
}
