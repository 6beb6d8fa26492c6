/** A Postgres server of one test, which can be stopped and started again on its data. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { startEmbeddedPostgres } from '../../../../src/demo/postgres/embedded-postgres.ts'
import { postgresPrograms } from '../../../../src/demo/postgres/postgres-binaries.ts'

export interface RestartablePostgres extends AsyncDisposable {
  readonly url: string
  /** A fast shutdown: connections are cut, statements are rolled back. */
  stop(): Promise<void>
  /** From now on it refuses every further connection: it stops when the present ones have ended. */
  beginStop(): void
  /** After a stop; resolves when it accepts connections. */
  start(): Promise<void>
  /** Stops all its processes in their tracks, until the returned function is called. */
  freeze(): Promise<() => void>
}

const PATIENCE = { timeout: 120_000, interval: 20 }

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const embedded = await startEmbeddedPostgres()
  const { port } = new URL(embedded.url)
  const directory = await dataDirectory(embedded.url)
  const { postgres, runAs } = await postgresPrograms()
  let pid: number | undefined = embedded.pid

  const stop = async () => {
    if (pid === undefined) return
    process.kill(pid, 'SIGINT')
    pid = undefined
    // The server deletes this file last; the process stays until its parent reaps it.
    const lock = join(directory, 'postmaster.pid')
    await vi.waitFor(() => expect(existsSync(lock), 'the server still runs').toBe(false), PATIENCE)
  }
  const start = async () => {
    const flags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
    const child = spawn(postgres, ['-D', directory, '-p', port, ...flags], {
      ...runAs,
      stdio: 'ignore',
      env: { LC_ALL: 'C' },
      cwd: '/',
    })
    await once(child, 'spawn')
    pid = child.pid
    await vi.waitFor(() => dataDirectory(embedded.url), PATIENCE)
  }
  const freeze = async () => {
    const children = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)])
    const pids = [pid ?? 0, ...children.stdout.trim().split(/\s+/).map(Number)]
    const signal = (name: NodeJS.Signals) => {
      for (const each of pids) process.kill(each, name)
    }
    signal('SIGSTOP')
    return () => signal('SIGCONT')
  }
  return {
    url: embedded.url,
    stop,
    beginStop: () => void process.kill(pid ?? 0, 'SIGTERM'),
    start,
    freeze,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await embedded.close()
    },
  }
}

async function dataDirectory(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return rows[0]?.data_directory ?? ''
  } finally {
    await client.end()
  }
}
