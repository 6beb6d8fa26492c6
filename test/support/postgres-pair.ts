/** Two Postgres servers, of which the second follows the first by streaming replication. */
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { postgresPrograms } from '../../src/demo/postgres/postgres-binaries.ts'
import { freePort } from './free-port.ts'
import { startMovableProxy } from './movable-proxy.ts'
import { launchPostgres, type PostgresPlace, readValue, until } from './postgres-process.ts'
import { administer } from './postgres-server.ts'

export interface PostgresPair extends AsyncDisposable {
  /** Leads to the primary, also after a failover. */
  readonly url: string
  /** SIGKILL of the primary's main process. */
  killPrimary(): Promise<void>
  /** After a kill: the standby becomes the primary. */
  failOver(): Promise<void>
  /** From now on every commit on the primary waits, until it gets another standby. */
  killStandby(): Promise<void>
  /** After a failover, or without its standby: the primary gets another one. */
  addStandby(): Promise<void>
  /** From now on the standby receives nothing, and the primary does not wait for it. */
  cutReplication(): Promise<void>
}

/** Of the standby, in `synchronous_standby_names` of its primary. */
const STANDBY = 'standby'

interface Server extends PostgresPlace {
  readonly process: ChildProcess
}

/** Every commit on the primary waits until the standby has it. */
export async function startPostgresPair(): Promise<PostgresPair> {
  await using opened = new AsyncDisposableStack()
  const embedded = opened.use(await startEmbeddedPostgres())
  let primary = await restartAsChild(embedded)
  opened.defer(() => kill(primary))
  let standby = await addStandby(primary)
  opened.defer(() => kill(standby))
  const proxy = opened.use(await startMovableProxy(portOf(primary)))
  const resources = opened.move()
  return {
    url: withPort(embedded.url, proxy.port),
    killPrimary: () => kill(primary),
    failOver: async () => {
      await rm(primary.data, { recursive: true, force: true, maxRetries: 10 })
      primary = standby
      await administer(primary.url, 'select pg_promote(true, 30)')
      proxy.moveTo(portOf(primary))
    },
    killStandby: () => kill(standby),
    addStandby: async () => {
      standby = await addStandby(primary)
    },
    cutReplication: async () => {
      await change(primary, 'synchronous_standby_names', '')
      await change(standby, 'primary_conninfo', '')
      const receivers = 'select count(*) from pg_stat_wal_receiver'
      await until(
        'the standby still receives',
        async () => (await readValue(standby.url, receivers)) === '0',
      )
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** From here on the server is a child of this process. */
async function restartAsChild({ url, pid }: { url: string; pid: number }): Promise<Server> {
  const data = (await readValue(url, 'show data_directory')) ?? ''
  process.kill(pid, 'SIGINT')
  await until('the server did not stop', async () => !(await answers(url)))
  return { data, url, process: await launchPostgres({ data, url }) }
}

const answers = (url: string): Promise<boolean> =>
  readValue(url, 'select 1').then(
    () => true,
    () => false,
  )

let standbys = 0

/** Copies the running primary and starts the copy; resolves when the primary's commits wait for it. */
async function addStandby(primary: Server): Promise<Server> {
  standbys += 1
  const data = join(dirname(primary.data), `standby-${standbys}`)
  const url = withPort(primary.url, await freePort())
  await copyRunning(primary, data)
  const standby = { data, url, process: await launchPostgres({ data, url }) }
  await change(primary, 'synchronous_standby_names', STANDBY)
  const state = `select sync_state from pg_stat_replication where application_name = '${STANDBY}'`
  await until(
    'the standby does not follow',
    async () => (await readValue(primary.url, state)) === 'sync',
  )
  return standby
}

/** What pg_basebackup does, which does not come with the servers of the tests. */
async function copyRunning(primary: Server, data: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    // Files may go away while they are copied: replaying the log brings back what they held.
    await promisify(execFile)('cp', ['-a', primary.data, data]).catch(() => undefined)
    const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop()')
    await rm(join(data, 'postmaster.pid'), { force: true })
    const { hostname, port, username, password } = new URL(primary.url)
    const address = `host=${hostname} port=${port} user=${username} password=${password}`
    await writeOwned(join(data, 'backup_label'), rows[0]?.labelfile ?? '')
    await writeOwned(join(data, 'standby.signal'), '')
    await writeOwned(
      join(data, 'postgresql.auto.conf'),
      `primary_conninfo = '${address} application_name=${STANDBY}'\n`,
    )
  } finally {
    await client.end()
  }
}

/** A file of the user that runs the servers. */
async function writeOwned(path: string, content: string): Promise<void> {
  const { uid, gid } = (await postgresPrograms()).runAs
  await writeFile(path, content, { mode: 0o600 })
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
}

async function change({ url }: Server, setting: string, value: string): Promise<void> {
  await administer(url, `alter system set ${setting} = '${value}'`)
  await administer(url, 'select pg_reload_conf()')
}

async function kill({ process: server }: Server): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGKILL')
  await exited
}

const portOf = ({ url }: PostgresPlace): number => Number(new URL(url).port)

function withPort(url: string, port: number): string {
  const moved = new URL(url)
  moved.port = String(port)
  return moved.href
}
