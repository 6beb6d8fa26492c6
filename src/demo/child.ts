import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { DemoFailure } from './demo-failure.ts'

/** A Node program of this project, as the one who knows the command line wants it started. */
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
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Longer than the facilitator needs to finish what is in flight, in milliseconds. */
const STOP_GRACE_MS = 8_000

/**
 * Starts a program that runs until it is stopped; both its outputs go to `logFile`. It leads a
 * process group of its own, so a Ctrl-C in the terminal reaches it only through us, in our order,
 * and it holds a channel to us that tells it when we are gone without a word.
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
  dieWithUs(child, exited)
  return { exited, [Symbol.asyncDispose]: () => stop(child, exited) }
}

/** Runs a program to its end and returns what it printed. Throws DemoFailure with what it said instead. */
export async function runChild(program: Program, signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, program.args, {
    env: program.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const exited = exitOf(child)
  dieWithUs(child, exited)
  const printed = textOf(child.stdout)
  const complaint = textOf(child.stderr)
  const { code } = await exited
  signal.throwIfAborted()
  if (code === 0) return await printed
  throw new DemoFailure(`${program.name} failed: ${(await complaint).trim()}`)
}

/** The last lines of a log, for a failure's message. */
export function logTail(logFile: string, lines = 5): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
}

/** A forced exit leaves no time to ask children politely, and they must not stay behind. */
function dieWithUs(child: ChildProcess, exited: Promise<Exit>): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  void exited.then(() => process.off('exit', kill))
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // Also told of a child that was asked to end: it is gone when it says so, unless it never was.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: child.exitCode, signal: child.signalCode })
    })
  })
}

async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await exited
  clearTimeout(impatience)
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
