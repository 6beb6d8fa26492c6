import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { MeterReading } from './meter.ts'

export interface ProgramOptions {
  /** Shown in messages. */
  readonly name: string
  /** Everything after the `node` executable. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Recognises the line of JSON on standard output that says it is ready. */
  readonly isReady: (line: Record<string, unknown>) => boolean
  /** Where it leaves a CPU profile under its name when it ends, if anywhere. */
  readonly profileFolder?: string | undefined
}

export interface Program extends AsyncDisposable {
  /** What it said when it was ready. */
  readonly ready: Record<string, unknown>
  /** What its meter counted since the last reading; only for programs started with `metered`. */
  readMeter(): Promise<MeterReading>
}

const START_DEADLINE_MS = 60_000
const STOP_GRACE_MS = 8_000
/** Of standard error, for the message when a program does not start. */
const KEPT_CHARACTERS = 2_000

/** Node flags that put a meter into a program. */
export const metered = ['--import', new URL('meter.ts', import.meta.url).href] as const

/** The project's own command. */
export const svcScript = fileURLToPath(new URL('../../src/cli/svc.ts', import.meta.url))

/** Starts a Node program in a process of its own and waits until it is ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const child = spawn(process.execPath, [...profileFlags(options), ...options.args], {
    env: { ...surroundings(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-KEPT_CHARACTERS)
  })
  try {
    const ready = await readyLine(child, options)
    return {
      ready,
      readMeter: () => readMeter(child),
      [Symbol.asyncDispose]: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw new Error(`${options.name} did not start: ${complaints.trim()}`, { cause: error })
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
  if (!stdout) throw new Error('a program without standard output')
  const lines = createInterface({ input: stdout })
  const gaveUp = AbortSignal.timeout(START_DEADLINE_MS)
  gaveUp.addEventListener('abort', () => lines.close(), { once: true })
  for await (const line of lines) {
    const words = parse(line)
    if (!words || !isReady(words)) continue
    lines.close()
    // Nobody reads on, and a full pipe would stop the program.
    stdout.resume()
    return words
  }
  gaveUp.throwIfAborted()
  throw new Error('it ended before it was ready')
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function readMeter(child: ChildProcess): Promise<MeterReading> {
  const answer = once(child, 'message')
  child.send('read')
  const [reading] = (await answer) as [MeterReading]
  return reading
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await exited
  clearTimeout(impatience)
}

/** What a program needs of where it runs; a proxy must not stand between two ends of one machine. */
function surroundings(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG, TZ } = process.env
  return { PATH, HOME, TMPDIR, LANG, TZ }
}
