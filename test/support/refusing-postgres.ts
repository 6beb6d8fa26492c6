/** A Postgres server of one test that refuses whatever the test wants it to. */
import { appendFile, chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { generate } from 'selfsigned'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { postgresPrograms } from '../../src/demo/postgres/postgres-binaries.ts'
import { readValue } from './postgres-process.ts'
import { administer } from './postgres-server.ts'

export interface RefusingPostgres extends AsyncDisposable {
  /** Of its superuser. */
  readonly url: string
  run(statement: string, database?: string): Promise<void>
  /** The URL with other parts. */
  at(changes: Partial<Pick<URL, 'username' | 'password' | 'host' | 'pathname' | 'search'>>): string
  /** Puts a line before the other lines of pg_hba.conf. */
  allow(line: string): Promise<void>
  /** From now on it offers TLS. @returns the path of the certificate, which is its own CA */
  offerTls(hostName: string): Promise<string>
  /** From now on it refuses every further connection: it stops when the present one has ended. */
  beginStop(): Promise<pg.Client>
}

export async function startRefusingPostgres(): Promise<RefusingPostgres> {
  const server = await startEmbeddedPostgres()
  const folder = (await readValue(server.url, 'show data_directory')) ?? ''
  const at: RefusingPostgres['at'] = (changes) => Object.assign(new URL(server.url), changes).href
  const run = (statement: string, database = 'postgres') =>
    administer(at({ pathname: `/${database}` }), statement)
  const reload = () => run('select pg_reload_conf()')
  return {
    url: server.url,
    at,
    run,
    allow: async (line) => {
      const path = join(folder, 'pg_hba.conf')
      const lines = await readFile(path, 'utf8')
      await writeFile(path, `${line}\n${lines}`)
      await reload()
    },
    offerTls: async (hostName) => {
      const { private: key, cert } = await generate([{ name: 'commonName', value: hostName }], {
        keySize: 2_048,
      })
      const { runAs } = await postgresPrograms()
      for (const [name, content] of [
        ['server.key', key],
        ['server.crt', cert],
      ] as const) {
        const path = join(folder, name)
        await writeFile(path, content, { mode: 0o600 })
        if (runAs.uid !== undefined && runAs.gid !== undefined) {
          await chown(path, runAs.uid, runAs.gid)
        }
      }
      await appendFile(join(folder, 'postgresql.auto.conf'), 'ssl = on\n')
      await reload()
      return join(folder, 'server.crt')
    },
    beginStop: async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      client.on('error', () => undefined)
      // The smart shutdown waits for clients.
      process.kill(server.pid, 'SIGTERM')
      return client
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}
