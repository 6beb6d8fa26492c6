import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Clock, systemClock } from '../../core/clock.ts'

const OWNER = 'owner'

/** Signs the folder of a server: when this process is gone, the folder is left over. */
export const ownFolder = (folder: string): Promise<void> =>
  writeFile(join(folder, OWNER), `${process.pid}\n`)

/**
 * Removes the folders among `prefix*` whose owner is gone, and ends the server that may still run
 * in one. Mostly there is nothing to do, since a server's keeper cleans up; this is for the day
 * when the keeper was killed as well. No process is ended but one that serves from such a folder.
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
    if (owner === undefined || isAlive(owner)) continue
    await endServerOf(folder, clock)
    // What another user left, or removed meanwhile, is not ours to mind.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A server told to stop needs well under a second. */
const STOPPING_MS = 5_000
const LOOK_AGAIN_MS = 20

async function endServerOf(folder: string, clock: Clock): Promise<void> {
  const server = await pidIn(folder, join('data', 'postmaster.pid'))
  if (server === undefined || !(await servesFrom(server, folder))) return
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    send(server, signal)
    for (let waited = 0; waited < STOPPING_MS; waited += LOOK_AGAIN_MS) {
      if (!isAlive(server)) return
      await clock.sleep(LOOK_AGAIN_MS)
    }
  }
}

/** A process id alone proves nothing: it may be another's by now. */
async function servesFrom(pid: number, folder: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.includes(join(folder, 'data'))
}

const run = promisify(execFile)

/** The number on the first line of a file. */
async function pidIn(folder: string, file: string): Promise<number | undefined> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : undefined
}

const isAlive = (pid: number): boolean => send(pid, 0)

/** Whether there was such a process; one that may not be signalled is there all the same. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
