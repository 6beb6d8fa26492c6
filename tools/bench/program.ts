import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { MeterReading } from './meter.ts'

export interface ProgramOptions {
  /** Name in messages. */
  readonly name: string
  /** Everything after the `node` executable. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Recognizes the ready line: JSON on standard output. */
  readonly isReady: (line: Record<string, unknown>) => boolean
  /** Whether it gets a processor only when no other program of the bench wants it. @default false */
  readonly isLowPriority?: boolean
  /** Folder for a CPU profile, written at its end. @default no profile */
  readonly profileFolder?: string | undefined
}

export interface Program extends AsyncDisposable {
  readonly pid: number
  /** The ready line. */
  readonly ready: Record<string, unknown>
  /** Sends a message to a program that answers each with one. */
  ask(message: string): Promise<unknown>
  /** Counts of its meter since the last reading; only for programs started with `metered`. */
  readMeter(): Promise<MeterReading>
}

const START_DEADLINE_MS = 60_000
const STOP_GRACE_MS = 8_000
/** Characters of standard error, kept for the error message when a program does not start. */
const KEPT_CHARACTERS = 2_000

/** `setPriority` would change one thread of the program and not those that it has started before. */
const LOW_PRIORITY = ['nice', '-n', '19'] as const

/** Node flags that load the meter into a program. */
export const metered = ['--import', new URL('meter.ts', import.meta.url).href] as const

/** The `svc` command. */
export const svcScript = fileURLToPath(new URL('../../src/commands/svc.ts', import.meta.url))

/** Starts a Node program in its own process and waits until it is ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const node = [process.execPath, ...profileFlags(options), ...options.args]
  const [command = '', ...args] = options.isLowPriority ? [...LOW_PRIORITY, ...node] : node
  const child = spawn(command, args, {
    env: { ...inheritedEnv(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  let stderrTail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-KEPT_CHARACTERS)
  })
  try {
    const ready = await readyLine(child, options)
    return {
      pid: child.pid ?? 0,
      ready,
      ask: (message) => ask(child, message),
      readMeter: async () => (await ask(child, 'read')) as MeterReading,
      [Symbol.asyncDispose]: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw new Error(`${options.name} did not start: ${stderrTail.trim()}`, { cause: error })
  }
}

const profileFlags = ({ name, profileFolder }: ProgramOptions): string[] =>
  profileFolder === undefined
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${profileFolder}`,
        `--cpu-prof-name=${name.replaceAll(' ', '-')}.cpuprofile`,
      ]

async function readyLine(
  child: ChildProcess,
  { isReady }: ProgramOptions,
): Promise<Record<string, unknown>> {
  const { stdout } = child
  if (!stdout) throw new Error('the program has no standard output')
  const lines = createInterface({ input: stdout })
  const deadline = AbortSignal.timeout(START_DEADLINE_MS)
  deadline.addEventListener('abort', () => lines.close(), { once: true })
  for await (const line of lines) {
    const value = parse(line)
    if (!value || !isReady(value)) continue
    lines.close()
    // Discard further output: a full pipe would block the program.
    stdout.resume()
    return value
  }
  deadline.throwIfAborted()
  throw new Error('the program ended before it was ready')
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function ask(child: ChildProcess, message: string): Promise<unknown> {
  const answered = once(child, 'message')
  child.send(message)
  const [answer] = await answered
  return answer
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await exited
  clearTimeout(killTimer)
}

/** Environment passed on to programs. Without proxy settings: all connections stay on this machine. */
function inheritedEnv(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG, TZ } = process.env
  return { PATH, HOME, TMPDIR, LANG, TZ }
}
