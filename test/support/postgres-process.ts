/** A Postgres server as a child of this process, which is notified when it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { postgresPrograms } from '../../src/demo/postgres/postgres-binaries.ts'

export interface PostgresPlace {
  /** Data directory of a server that does not run. */
  readonly data: string
  /** Its address, with the port on which it will listen. */
  readonly url: string
}

const TIMEOUT_MS = 150_000

/**
 * Resolves when the server accepts connections. A new server refuses to start until the processes of a killed
 * one are gone: repeats the start.
 */
export async function launchPostgres({ data, url }: PostgresPlace): Promise<ChildProcess> {
  const { postgres, runAs } = await postgresPrograms()
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'fsync=off',
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  let server: ChildProcess | undefined
  await until('the server did not start', async () => {
    if (!server || server.exitCode !== null) {
      server = spawn(postgres, ['-D', data, '-p', new URL(url).port, ...flags], {
        ...runAs,
        stdio: 'ignore',
        env: { LC_ALL: 'C', TZ: 'UTC' },
        cwd: '/',
      })
      endWithThisProcess(server)
    }
    return (await readValue(url, 'select 1 as one').catch(() => undefined)) !== undefined
  })
  if (!server) throw new Error('no server')
  return server
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL')
})

function endWithThisProcess(server: ChildProcess): void {
  running.add(server)
  server.once('exit', () => running.delete(server))
}

/** The first column of the first row, as text; undefined without a row. */
export async function readValue(url: string, query: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Record<string, string>>(query)
    const [value] = Object.values(rows[0] ?? {})
    return value === undefined ? undefined : String(value)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Throws an error with the message `otherwise` after 30 s. */
export async function until(otherwise: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise)
    await sleep(20)
  }
}
