/** A Postgres server that a test can kill, start again on its data, and freeze. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { launchPostgres, readValue, until } from './postgres-process.ts'

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

export async function startCrashPostgres(): Promise<CrashPostgres> {
  const embedded = await startEmbeddedPostgres()
  const data = (await readValue(embedded.url, 'show data_directory')) ?? ''
  // From here on the server is a child of this process, which is notified when it ends.
  process.kill(embedded.pid, 'SIGINT')
  await until('the server did not stop', async () => !existsSync(join(data, 'postmaster.pid')))

  const place = { data, url: embedded.url }
  let server = await launchPostgres(place)
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
      server = await launchPostgres(place)
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
