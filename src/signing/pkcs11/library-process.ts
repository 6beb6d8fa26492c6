import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { LibraryAnswer, LibraryRequest } from './messages.ts'

/** A process that holds a PKCS#11 library, from its start to its end. It is asked one thing at a time. */
export class LibraryProcess {
  readonly #child: ChildProcess
  /** Resolves when the process is gone, with the reason. Never rejects. */
  readonly ended: Promise<string>
  #waiting: PromiseWithResolvers<LibraryAnswer> | undefined

  /** Throws an error of the system when it cannot make a process. @param environment all variables of the process */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#child = fork(fileURLToPath(new URL('./library-worker.ts', import.meta.url)), {
      env: environment,
      // Options of this process, such as a debugger's port, are not for the child.
      execArgv: [],
      // Keys and signatures stay bytes.
      serialization: 'advanced',
      // What a library prints to the standard output would stand between the lines of our log.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (answer: LibraryAnswer) => this.#waiting?.resolve(answer))
    this.ended = endOf(this.#child)
    void this.ended.then((reason) => {
      const message = `the process of the PKCS#11 library ${reason}`
      this.#waiting?.reject(new SignerError('unreachable', message))
    })
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Throws SignerError when the process ends without an answer, and the signal's reason when it aborts: then the process is killed. */
  async ask(request: LibraryRequest, signal: AbortSignal): Promise<LibraryAnswer> {
    const waiting = Promise.withResolvers<LibraryAnswer>()
    this.#waiting = waiting
    // A process that has not started or is ending cannot hear it: then `ended` says why.
    if (this.pid !== undefined) this.#child.send(request, () => undefined)
    try {
      return await untilAborted(signal, waiting.promise)
    } catch (error) {
      this.kill()
      throw error
    } finally {
      this.#waiting = undefined
    }
  }

  /** Also ends a process that is stopped or hangs. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
    // Also emitted for a message that cannot be sent: only a child without an id has never started.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(`could not be started: ${error.message}`)
    })
  })
}
