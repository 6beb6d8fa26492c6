import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { sweepAfterDeath } from './folder-sweeper.ts'
import { isOpenToAll, type PostgresPrograms, postgresPrograms } from './postgres-binaries.ts'
import { clearLeftovers, ownFolder } from './postgres-leftovers.ts'

export interface EmbeddedPostgresOptions {
  /**
   * This run creates a folder of its own in it, and removes that at the end. Ignored for root when other
   * users cannot reach it. @default the system's temporary directory
   */
  readonly directory?: string
  /** Whether a commit waits for the disk. @default false */
  readonly durable?: boolean
}

export interface EmbeddedPostgres extends AsyncDisposable {
  /** `postgres://...`, with a password made for this start. */
  readonly url: string
  /** The process id of the server, for tests that kill it. */
  readonly pid: number
  close(): Promise<void>
}

/** A free port may be taken before the server listens on it. */
const MAX_TRIES = 3

/**
 * A real Postgres from npm, for development and tests, on a free port of the loopback interface.
 * Its data is deleted at the end. Throws the server's error message when
 * it cannot start; ends when this process does, in whatever manner.
 */
export async function startEmbeddedPostgres({
  directory,
  durable = false,
}: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const programs = await postgresPrograms()
  const folder = await newFolder(directory, programs)
  const password = randomBytes(16).toString('hex')
  try {
    await initialise(programs, folder, password)
    for (let attempt = 1; ; attempt++) {
      const port = await freePort()
      const started = await start(programs, folder, port, durable)
      if (started.ok) return embedded(started.server, folder, port, password)
      if (attempt === MAX_TRIES || !/could not bind|in use/i.test(started.message)) {
        throw new Error(`Postgres did not start: ${started.message}`)
      }
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function embedded(
  server: Server,
  folder: string,
  port: number,
  password: string,
): EmbeddedPostgres {
  const sweeper = process.getuid?.() === 0 ? sweepAfterDeath(folder) : undefined
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= stop(server).then(async () => {
      await rm(folder, { recursive: true, force: true })
      await sweeper?.[Symbol.asyncDispose]()
    })
    return closing
  }
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  return { url, pid: server.pid, close, [Symbol.asyncDispose]: close }
}

/** Each run has a folder of its own, so that the cleanup after a killed run cannot affect the next run. */
const PREFIX = 'svc-postgres-'

/** Creates a folder for this run that the database's user can reach; removes those of dead runs. */
async function newFolder(parent: string | undefined, programs: PostgresPrograms): Promise<string> {
  const { uid, gid } = programs.runAs
  const directory = resolve(parent ?? tmpdir())
  await mkdir(directory, { recursive: true })
  const inside = join(directory, PREFIX)
  if (uid !== undefined && !(await isOpenToAll(inside))) return newFolder(undefined, programs)
  await clearLeftovers(directory, PREFIX)
  const folder = await mkdtemp(inside)
  await ownFolder(folder)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  return folder
}

const run = promisify(execFile)

/** Messages in English: one of them says that the server is ready. */
const environment = (): NodeJS.ProcessEnv => ({ LC_ALL: 'C', TZ: 'UTC' })

async function initialise(
  { initdb, runAs }: PostgresPrograms,
  folder: string,
  password: string,
): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  if (runAs.uid !== undefined && runAs.gid !== undefined) {
    await chown(passwordFile, runAs.uid, runAs.gid)
  }
  const flags = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--no-sync']
  await run(
    initdb,
    [`--pgdata=${join(folder, 'data')}`, `--pwfile=${passwordFile}`, '--locale=C', ...flags],
    { ...runAs, env: environment(), cwd: folder },
  ).catch((error: Error & { stderr?: string }) => {
    const message = error.stderr?.trim().split('\n').at(-1) ?? error.message
    throw new Error(`Postgres could not be set up: ${message}`, { cause: error })
  })
}

interface Server {
  readonly pid: number
  readonly keeper: ChildProcessByStdio<Writable, null, Readable>
}

/**
 * Runs the server until its standard input ends, which happens however the process at the other end
 * dies, `kill -9` included. Then it stops the server and removes its files. Where the database's user
 * may not remove the folder itself, sweepAfterDeath does.
 */
const keeper = `
folder=$1; shift
"$@" </dev/null &
server=$!
exec 2>/dev/null
read -r _
kill -INT "$server"
wait "$server"
rm -rf "$folder/data" "$folder/password"
if [ -w "$folder/.." ]; then rm -rf "$folder"; fi
`

/**
 * The data is deleted at the end, so it need not survive a power failure: unless asked to, the server does not
 * wait for the disk. The data does survive a crash of the server, as with any Postgres.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
}

type Start =
  | { readonly ok: true; readonly server: Server }
  | { readonly ok: false; readonly message: string }

async function start(
  { postgres, runAs }: PostgresPrograms,
  folder: string,
  port: number,
  durable: boolean,
): Promise<Start> {
  const disk = durable ? 'on' : 'off'
  const all = { ...settings, fsync: disk, full_page_writes: disk }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const data = join(folder, 'data')
  const child = spawn(
    '/bin/sh',
    ['-c', keeper, 'keeper', folder, postgres, '-D', data, '-p', String(port), ...flags],
    // A process group of its own, so that Ctrl-C reaches only the program that uses the database.
    { ...runAs, detached: true, stdio: ['pipe', 'ignore', 'pipe'], env: environment(), cwd: '/' },
  )
  child.stdin.on('error', () => undefined)
  const output = await startOutput(child)
  if (!/ready to accept connections/.test(output)) {
    return { ok: false, message: output.trim().split('\n').at(-1) ?? 'no message' }
  }
  child.stderr.resume()
  const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  return { ok: true, server: { pid: Number(pid), keeper: child } }
}

/** The output of the server until it is ready, or until it ends. */
async function startOutput({ stderr }: Server['keeper']): Promise<string> {
  stderr.setEncoding('utf8')
  let output = ''
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    output += chunk
    if (/ready to accept connections/.test(output)) break
  }
  return output
}

async function stop({ keeper: child }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin.end()
  await exited
}

async function freePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
