import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Clock, systemClock } from '../../platform/core/time/clock.ts'

const OWNER = 'owner'

/**
 * Writes this process's id into the folder of a server: once the process is gone, the folder is a leftover. The id
 * means nothing in another PID namespace, such as that of a container with this directory, so the second line names it.
 */
export const ownFolder = async (folder: string): Promise<void> =>
  writeFile(join(folder, OWNER), `${process.pid}\n${await ownNamespace()}\n`)

/** The PID namespace on Linux, such as `pid:[4026531836]`; elsewhere empty. */
const ownNamespace = (): Promise<string> => readlink('/proc/self/ns/pid').catch(() => '')

/**
 * Removes the folders `prefix*` of this PID namespace whose owner is gone, and ends a server that still runs in one. Usually
 * there is none, since a server's keeper cleans up, unless the keeper was killed too. Ends no process
 * but servers of such folders.
 */
export async function clearLeftovers(
  directory: string,
  prefix: string,
  clock: Clock = systemClock,
): Promise<void> {
  const names = await readdir(directory)
  for (const name of names.filter((entry) => entry.startsWith(prefix))) {
    const folder = join(directory, name)
    const owner = await pidIn(folder, OWNER)
    if (owner === undefined || isAlive(owner) || (await isElsewhere(folder))) continue
    await endServerOf(folder, clock)
    // It may be another user's, or another process may have removed it.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Whether the owner is in another PID namespace: this process cannot see whether it lives. */
async function isElsewhere(folder: string): Promise<boolean> {
  const [, namespace = ''] = (await textOf(folder, OWNER)).split('\n')
  return namespace !== '' && namespace !== (await ownNamespace())
}

/** A server needs well under a second to stop. */
const STOP_GRACE_MS = 5_000
const POLL_MS = 20

async function endServerOf(folder: string, clock: Clock): Promise<void> {
  const server = await pidIn(folder, join('data', 'postmaster.pid'))
  if (server === undefined || !(await servesFrom(server, folder))) return
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    send(server, signal)
    for (let waited = 0; waited < STOP_GRACE_MS; waited += POLL_MS) {
      if (!isAlive(server)) return
      await clock.sleep(POLL_MS)
    }
  }
}

/** Another process may have the process id by now, so its arguments are compared. */
async function servesFrom(pid: number, folder: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.includes(join(folder, 'data'))
}

const run = promisify(execFile)

/** The number on the first line of a file. */
async function pidIn(folder: string, file: string): Promise<number | undefined> {
  const pid = Number.parseInt(await textOf(folder, file), 10)
  return pid > 0 ? pid : undefined
}

const textOf = (folder: string, file: string): Promise<string> =>
  readFile(join(folder, file), 'utf8').catch(() => '')

const isAlive = (pid: number): boolean => send(pid, 0)

/** Whether there is such a process, also one that this user may not signal. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
