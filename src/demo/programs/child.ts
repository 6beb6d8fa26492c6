import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { DemoFailure } from '../demo-failure.ts'

/** A Node program of this project, and how to start it. */
export interface Program {
  /** Shown in messages. */
  readonly name: string
  /** Everything after the `node` executable. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Child extends AsyncDisposable {
  /** Never rejects. */
  readonly exited: Promise<Exit>
  readonly hasEnded: boolean
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Longer than the facilitator needs to finish the requests in flight. */
const STOP_GRACE_MS = 8_000

/**
 * Starts a program that runs until it is stopped; both its outputs go to `logFile`. It gets a process
 * group of its own, so that Ctrl-C in the terminal does not reach it: the demo stops its parts in order.
 * The IPC channel closes when the demo dies, and then the program stops by itself.
 */
export function startChild(program: Program, logFile: string): Child {
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, program.args, {
    env: program.env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const exited = exitOf(child)
  killOnExit(child, exited)
  return {
    exited,
    get hasEnded() {
      return hasEnded(child)
    },
    [Symbol.asyncDispose]: () => stop(child, exited),
  }
}

/** Runs a program to its end. @returns its output. Throws DemoFailure with its error output. */
export async function runChild(program: Program, signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, program.args, {
    env: program.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const exited = exitOf(child)
  killOnExit(child, exited)
  const printed = textOf(child.stdout)
  const errorOutput = textOf(child.stderr)
  const { code } = await exited
  signal.throwIfAborted()
  if (code === 0) return await printed
  throw new DemoFailure(`${program.name} failed: ${(await errorOutput).trim()}`)
}

/** The last lines of a log, for a failure's message. */
export function logTail(logFile: string, lines = 5): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
}

/** Kills the child when this process exits: there is no time for an orderly stop, and none may stay behind. */
function killOnExit(child: ChildProcess, exited: Promise<Exit>): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  void exited.then(() => process.off('exit', kill))
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // Also emitted when a child cannot be signalled: only one that never started has ended.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: child.exitCode, signal: child.signalCode })
    })
  })
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  if (hasEnded(child)) return
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await exited
  clearTimeout(killTimer)
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (!stream) return ''
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(stream, 'close')
  return text
}
