import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'

const script = svcProgram()
const run = promisify(execFile)

/** Much longer than a start takes on a loaded machine. */
const DEADLINE_MS = 150_000

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** A running `svc ...` with its output. */
export class DemoProcess implements AsyncDisposable {
  readonly pid: number
  readonly ended: Promise<Ended>
  output = ''
  readonly #child

  constructor(...args: readonly string[]) {
    // Without the variables that the test runner sets.
    const { PATH, HOME, TMPDIR } = process.env
    this.#child = spawn(process.execPath, [script, ...args], {
      env: { PATH, HOME, TMPDIR },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (this.#child.pid === undefined) throw new Error('the process did not start')
    this.pid = this.#child.pid
    const take = (chunk: Buffer) => {
      this.output += chunk.toString()
    }
    this.#child.stdout.on('data', take)
    this.#child.stderr.on('data', take)
    this.ended = new Promise((resolve) =>
      this.#child.once('close', (code) => resolve({ code, output: this.output })),
    )
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Resolves once the output matches; fails with what was printed instead. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const patience = { timeout: DEADLINE_MS, interval: 20 }
    await vi.waitFor(() => expect(this.output).toMatch(pattern), patience)
    return pattern.exec(this.output)!
  }

  /** Every process below this one, however deep, at this moment. */
  descendants(): Promise<number[]> {
    return descendantsOf(this.pid)
  }

  /** The process of its `svc serve`. */
  facilitator(): Promise<number> {
    return this.child(/svc\.[jt]s serve$/)
  }

  /** The process below this one whose command line matches. */
  async child(commandLine: RegExp): Promise<number> {
    const { stdout } = await run('ps', ['-eo', 'pid=,args='])
    const below = new Set(await this.descendants())
    const rows = stdout.split('\n').map((line) => line.trim())
    const pids = rows.filter((row) => commandLine.test(row)).map((row) => Number.parseInt(row, 10))
    return pids.find((pid) => below.has(pid)) ?? Number.NaN
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}

/** Every process below that one, however deep, at this moment. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid='])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)])
  return below(pid)
}

/** Resolves once none of the processes is left; fails with those that are. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: DEADLINE_MS, interval: 20 }).toEqual([])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A folder for a demo, and the flags that keep it apart from every other one on this machine. */
export async function ownPlace(): Promise<
  AsyncDisposable & { ports: string[]; flags: string[]; folder: string }
> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-test-'))
  const flags = [
    '--port',
    '--facilitator-port',
    '--explorer-port',
    '--network-port',
    '--network-tls-port',
  ]
  const ports = flags.flatMap((flag) => [flag, '0'])
  return {
    folder,
    ports,
    flags: [...ports, '--dir', join(folder, 'demo')],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
