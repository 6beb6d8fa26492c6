import { type ChildProcess, spawn } from 'node:child_process'
import { expect } from 'vitest'

/** Much longer than a start takes on a loaded machine. */
const DEADLINE_MS = 150_000

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface TerminalOptions {
  readonly variables?: Readonly<Record<string, string>>
  /** @default the one that runs the test */
  readonly user?: { readonly uid?: number; readonly gid?: number }
}

/** A terminal of a reader: one shell that runs the text typed into it, from a folder. */
export class Terminal implements AsyncDisposable {
  /** Of both its streams. */
  output = ''
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess

  /** `text` ends at its first command that fails. The shell has few variables: no setting is among them. */
  constructor(folder: string, text: string, { variables = {}, user = {} }: TerminalOptions = {}) {
    const { HOME, PATH, TMPDIR } = process.env
    const child = spawn('bash', ['-e', '-c', text], {
      cwd: folder,
      env: { HOME, PATH, TMPDIR, ...variables },
      ...user,
      // A process group of its own, for Ctrl-C.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const take = (chunk: Buffer) => {
      this.output += chunk.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    this.#child = child
    this.ended = new Promise((resolve) =>
      child.once('close', (code) => resolve({ code, output: this.output })),
    )
  }

  /** Resolves once the output matches; fails with what was printed instead, at the latest when the shell ends. */
  async printed(pattern: RegExp): Promise<void> {
    await Promise.race([
      expect.poll(() => this.output, { timeout: DEADLINE_MS, interval: 50 }).toMatch(pattern),
      this.ended.then(({ output }) => expect(output).toMatch(pattern)),
    ])
  }

  /** Sends SIGINT to the shell and what it runs, as a terminal does. */
  pressCtrlC(): void {
    this.#signal('SIGINT')
  }

  /** Of the shell. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the shell did not start')
    return this.#child.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal('SIGTERM')
    await this.ended
  }

  #signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name)
  }
}
