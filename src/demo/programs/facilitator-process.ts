import { setTimeout as pause } from 'node:timers/promises'
import { DemoFailure } from '../demo-failure.ts'
import { type Child, logTail, type Program, startChild } from './child.ts'

export interface FacilitatorProcess extends AsyncDisposable {
  readonly url: string
  /** Resolves with a failure when the process ends before it is stopped. */
  readonly lost: Promise<DemoFailure>
}

const POLL_MS = 50
/** Thirty times the slowest start measured, 6 s on a loaded machine. */
const START_DEADLINE_MS = 180_000

/** Starts the facilitator and waits until `/ready` answers 200. */
export async function startFacilitator(
  program: Program,
  url: string,
  logFile: string,
  signal: AbortSignal,
): Promise<FacilitatorProcess> {
  const child = startChild(program, logFile)
  const lost = child.exited.then((exit) => endedFailure(program.name, exit.code, logFile))
  try {
    await ready(url, child, signal)
  } catch (error) {
    const hasEnded = child.hasEnded
    await child[Symbol.asyncDispose]()
    if (signal.aborted) throw error
    throw hasEnded ? await lost : lateFailure(program.name, logFile)
  }
  return { url, lost, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

async function ready(url: string, child: Child, signal: AbortSignal): Promise<void> {
  const ended = new AbortController()
  void child.exited.then(() => ended.abort())
  const stopWaiting = AbortSignal.any([
    signal,
    ended.signal,
    AbortSignal.timeout(START_DEADLINE_MS),
  ])
  while (!(await answersReady(url, stopWaiting))) {
    await pause(POLL_MS, undefined, { signal: stopWaiting })
  }
}

async function answersReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ready`, { signal })
    await response.body?.cancel()
    return response.ok
  } catch {
    signal.throwIfAborted()
    return false
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
