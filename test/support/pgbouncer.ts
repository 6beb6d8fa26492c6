/** A PgBouncer in front of a test's Postgres: a process that a test can kill and start again. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'

export interface PgBouncerOptions {
  /** Any database of the server; PgBouncer passes every database of this server on. */
  readonly serverUrl: string
  /** Server connections for each database. @default 4 */
  readonly poolSize?: number
  /** @default 'transaction' */
  readonly poolMode?: 'transaction' | 'session'
  /** Further lines of the section `[pgbouncer]`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PgBouncer extends AsyncDisposable {
  /** The same database through PgBouncer. */
  through(databaseUrl: string): string
  /** SIGKILL: the connections of both sides are reset. */
  kill(): Promise<void>
  /** After a kill, on the same port; resolves when it accepts connections. */
  start(): Promise<void>
}

const PROGRAM = 'pgbouncer'
const NOBODY = 65_534
const TIMEOUT_MS = 150_000

/** Why tests with a PgBouncer are skipped on this machine; undefined when it has one. */
export const noPgBouncer: string | undefined = await promisify(execFile)(PROGRAM, ['--version'])
  .then(() => undefined)
  .catch((error: Error) => `there is no ${PROGRAM} on this machine: ${error.message}`)

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const server = new URL(options.serverUrl)
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'))
  const port = await freePort()
  const configuration = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`)
  await writeFile(configuration, configurationOf({ ...options, server, port, users }))
  const runAs = await ownerOf([folder, configuration, users])

  let running: ReturnType<typeof launch> | undefined
  const kill = async () => {
    if (!running) return
    const exited = once(running, 'exit')
    running.stdin.end()
    running = undefined
    await exited
  }
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    return url.href
  }
  const start = async () => {
    running = launch(configuration, runAs)
    await acceptsConnections(through(options.serverUrl))
  }
  const dispose = async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await dispose()
    throw error
  }
  return { through, kill, start, [Symbol.asyncDispose]: dispose }
}

interface Configuration extends PgBouncerOptions {
  readonly server: URL
  readonly port: number
  readonly users: string
}

const configurationOf = (options: Configuration): string =>
  [
    '[databases]',
    `* = host=${options.server.hostname} port=${options.server.port}`,
    '[pgbouncer]',
    ...Object.entries({
      listen_addr: '127.0.0.1',
      listen_port: String(options.port),
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: options.users,
      pool_mode: options.poolMode ?? 'transaction',
      default_pool_size: String(options.poolSize ?? 4),
      max_client_conn: '500',
      // After a failed connection to the server, PgBouncer refuses clients for this time; its default is 15.
      server_login_retry: '1',
      ...options.settings,
    }).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n')

/** PgBouncer refuses to run as root: then it runs as `nobody`, who gets these files. */
async function ownerOf(paths: readonly string[]): Promise<{ uid?: number; gid?: number }> {
  if (userInfo().uid !== 0) return {}
  for (const path of paths) await chown(path, NOBODY, NOBODY)
  return { uid: NOBODY, gid: NOBODY }
}

/** Kills PgBouncer when its standard input ends, which also happens when this process dies in whatever manner. */
const keeper = `
"$@" </dev/null >/dev/null 2>&1 &
bouncer=$!
read -r _
kill -KILL "$bouncer"
wait "$bouncer"
exit 0
`

const launch = (configuration: string, runAs: { uid?: number; gid?: number }) =>
  spawn('/bin/sh', ['-c', keeper, 'keeper', PROGRAM, configuration], {
    ...runAs,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  })

async function acceptsConnections(connectionString: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const client = new pg.Client({ connectionString })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(20)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
