import { setTimeout as pause } from 'node:timers/promises'
import { DemoFailure } from '../demo-failure.ts'
import { type Child, logTail, type Program, startChild } from './child.ts'

/** A program of the demo that runs until it is stopped. */
export interface RunningProgram extends AsyncDisposable {
  /** Resolves with a failure when the process ends before it is stopped. */
  readonly lost: Promise<DemoFailure>
}

export interface Readiness {
  /** Whether it answers. An error counts as no. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>
  readonly logFile: string
}

const POLL_MS = 50
/** Thirty times the slowest start measured, 6 s on a loaded machine. */
const START_DEADLINE_MS = 180_000

/** Starts a program and waits until it is ready. */
export async function startUntilReady(
  program: Program,
  { isReady, logFile }: Readiness,
  signal: AbortSignal,
): Promise<RunningProgram> {
  const child = startChild(program, logFile)
  const lost = child.exited.then((exit) => endedFailure(program.name, exit.code, logFile))
  try {
    await ready(isReady, child, signal)
  } catch (error) {
    const hasEnded = child.hasEnded
    await child[Symbol.asyncDispose]()
    if (signal.aborted) throw error
    throw hasEnded ? await lost : lateFailure(program.name, logFile)
  }
  return { lost, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

async function ready(
  isReady: Readiness['isReady'],
  child: Child,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  void child.exited.then(() => ended.abort())
  const stopWaiting = AbortSignal.any([
    signal,
    ended.signal,
    AbortSignal.timeout(START_DEADLINE_MS),
  ])
  while (!(await isReady(stopWaiting).catch(() => false))) {
    await pause(POLL_MS, undefined, { signal: stopWaiting })
  }
}

function lateFailure(name: string, logFile: string): DemoFailure {
  const seconds = START_DEADLINE_MS / 1_000
  return new DemoFailure(
    `the ${name} was not ready after ${seconds} s:\n${logTail(logFile)}`,
    `Its whole log: ${logFile}`,
  )
}

function endedFailure(name: string, code: number | null, logFile: string): DemoFailure {
  const how = code === null ? 'was stopped' : `ended with exit code ${code}`
  return new DemoFailure(`the ${name} ${how}:\n${logTail(logFile)}`, `Its whole log: ${logFile}`)
}
