import { execFile, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const POLL_INTERVAL_MS = 50
const START_TIMEOUT_MS = 120_000
const LOG_TAIL = 3_000
const MAX_OUTPUT = 64 * 1024 * 1024

const run = promisify(execFile)

/** A program that runs until the world ends; its output goes to a file. */
export interface Running {
  readonly name: string
  readonly logFile: string
  /** Undefined while it runs. */
  readonly exit: () => string | undefined
}

export function startProgram(
  logFile: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const log = openSync(logFile, 'w')
  let exit: string | undefined
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  })
  child.once('error', (error) => {
    exit = error.message
  })
  child.once('exit', (code, signal) => {
    exit = `it ended with ${signal ?? `code ${code}`}`
  })
  child.unref()
  return { name: basename(logFile, '.log'), logFile, exit: () => exit }
}

/** @throws Error with the end of the log when the program ends before, or the time is over */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  programs: readonly Running[],
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await isSo().catch(() => false))) {
    const ended = programs.find((each) => each.exit() !== undefined)
    if (ended !== undefined) throw new Error(`${ended.name}: ${ended.exit()}: ${await tail(ended)}`)
    if (performance.now() > deadline) {
      const logs = await Promise.all(programs.map(tail))
      throw new Error(`${what}: not so after ${START_TIMEOUT_MS} ms: ${logs.join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
}

const tail = async ({ logFile }: Running): Promise<string> =>
  (await readFile(logFile, 'utf8')).slice(-LOG_TAIL)

/** @throws Error with the program's errors when its exit code is not 0 */
export async function output(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args, { maxBuffer: MAX_OUTPUT })
  return stdout
}
