/** A Postgres server that a test can kill, start again on its data, and freeze. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { postgresPrograms } from '../../src/demo/postgres/postgres-binaries.ts'

export interface CrashPostgres extends AsyncDisposable {
  readonly url: string
  /** SIGKILL of the server's main process: every connection breaks, without a shutdown. */
  kill(): Promise<void>
  /** After a kill, on the same data; resolves when it accepts connections. */
  start(): Promise<void>
  /** SIGSTOP of every process of the server: connections stay open and do not answer. */
  freeze(): Promise<void>
  thaw(): void
}

const TIMEOUT_MS = 30_000

export async function startCrashPostgres(): Promise<CrashPostgres> {
  const embedded = await startEmbeddedPostgres()
  const { port } = new URL(embedded.url)
  const data = await readValue(embedded.url, 'show data_directory')
  // From here on the server is a child of this process, which is notified when it ends.
  process.kill(embedded.pid, 'SIGINT')
  await until('the server did not stop', async () => !existsSync(join(data, 'postmaster.pid')))

  let server = await launch(data, port, embedded.url)
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT')
  }
  const kill = async () => {
    thaw()
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  return {
    url: embedded.url,
    kill,
    start: async () => {
      server = await launch(data, port, embedded.url)
    },
    freeze: async () => {
      // The main process first: stopped, it starts no other.
      server.kill('SIGSTOP')
      frozen = [...(await childrenOf(server.pid)), server.pid ?? 0].filter((pid) => pid > 0)
      for (const pid of frozen) signal(pid, 'SIGSTOP')
    },
    thaw,
    [Symbol.asyncDispose]: async () => {
      await kill()
      await embedded.close()
    },
  }
}

/** A new server refuses to start until the processes of the killed one are gone: repeats the start. */
async function launch(data: string, port: string, url: string): Promise<ChildProcess> {
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
      server = spawn(postgres, ['-D', data, '-p', port, ...flags], {
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

async function readValue(url: string, query: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Record<string, string>>(query)
    return String(Object.values(rows[0] ?? {})[0])
  } finally {
    await client.end().catch(() => undefined)
  }
}

const run = promisify(execFile)

async function childrenOf(parent: number | undefined): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, of]) => (of === parent && pid > 0 ? [pid] : []))
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

async function until(otherwise: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise)
    await sleep(20)
  }
}
