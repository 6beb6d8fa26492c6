import { spawn } from 'node:child_process'
import { expect } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'
import { stateHome } from '../../support/state-home.ts'
import { linesOf, type Ran, type Variables } from './admin-world.ts'

/** Much longer than anything here takes on a loaded machine. */
export const DEADLINE_MS = 150_000

/** A running `svc ...` with its two streams, for tests of what it says when signals end it. */
export class SignalledSvc implements Disposable {
  readonly #child
  readonly ended: Promise<Ran>
  err = ''

  constructor(env: Variables, ...args: readonly string[]) {
    const child = spawn(process.execPath, [svcProgram(), ...args], {
      env: { XDG_STATE_HOME: stateHome(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      this.err += chunk.toString()
    })
    this.#child = child
    this.ended = new Promise((resolve) =>
      child.once('close', (code) =>
        resolve({ code: code ?? -1, out, err: this.err, lines: linesOf(out) }),
      ),
    )
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** As a reader that goes away. */
  closeOutput(): void {
    this.#child.stdout.destroy()
  }

  /** Sends the signal to a payment that was sent; resolves once it says that it waits. */
  async askToEnd(name: NodeJS.Signals): Promise<void> {
    this.signal(name)
    await expect
      .poll(() => this.err, { timeout: DEADLINE_MS, interval: 20 })
      .toContain('its answer may come for another 5 s')
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}
