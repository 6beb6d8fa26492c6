import { messageOf } from '../../platform/core/text/error-message.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { SignerError, type SigningRequest } from '../../stellar/accounts/envelope-signer.ts'
import type { KeyService, SigningResult } from '../key-service.ts'
import type { Pkcs11Place } from '../signer-place.ts'
import { libraryEnvironment } from './library-environment.ts'
import { LibraryProcess } from './library-process.ts'

export interface Pkcs11Deps {
  /** Variables of this process; the library gets those without secrets (`libraryEnvironment`). */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Hears the id of each process that is started for the library. */
  readonly onProcess?: (pid: number) => void
}

/**
 * A key in a PKCS#11 token, on Linux and macOS. Nothing is loaded before the first call, and a missing token fails calls alone. The
 * library runs in a process of its own, which is replaced after every error: some libraries see a token that is back only after a new
 * start.
 */
export const openPkcs11 = (place: Pkcs11Place, deps: Pkcs11Deps): KeyService =>
  new Pkcs11Service(place, deps)

class Pkcs11Service implements KeyService {
  readonly #place: Pkcs11Place
  readonly #deps: Pkcs11Deps
  #process: LibraryProcess | undefined
  /** Processes that were killed, until they are gone. */
  readonly #ending = new Set<Promise<unknown>>()
  #refusedPin: string | undefined
  /** Resolves when the calls before have ended. A call at a time: an abort kills the process of no other call. */
  #previous: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(place: Pkcs11Place, deps: Pkcs11Deps) {
    this.#place = place
    this.#deps = deps
  }

  async publicKey(signal: AbortSignal): Promise<Uint8Array> {
    const [key] = await this.#ask(undefined, signal)
    return key!
  }

  async sign(
    requests: readonly SigningRequest[],
    signal: AbortSignal,
  ): Promise<readonly SigningResult[]> {
    const hashes = requests.map(({ hash }) => hash)
    const signatures = await this.#ask(hashes, signal)
    return signatures.map((signature) => ({ ok: true, signature }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#process) this.#end(this.#process)
    await Promise.all(this.#ending)
  }

  async #ask(
    hashes: readonly Uint8Array[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[]> {
    const previous = this.#previous
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#previous = Promise.all([previous, promise]).then(() => undefined)
    try {
      await untilAborted(signal, previous)
      signal.throwIfAborted()
      return await this.#askNow(hashes, signal)
    } finally {
      resolve()
    }
  }

  async #askNow(
    hashes: readonly Uint8Array[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[]> {
    if (this.#isClosed) throw new SignerError('unreachable', 'the signer is closed')
    this.#process ??= this.#start()
    const running = this.#process
    const request = { place: this.#place, refusedPin: this.#refusedPin, hashes }
    try {
      const answer = await running.ask(request, signal)
      if (answer.ok) return answer.values
      this.#refusedPin = answer.refusedPin ?? this.#refusedPin
      throw new SignerError(answer.problem, answer.message)
    } catch (error) {
      this.#end(running)
      throw error
    }
  }

  #start(): LibraryProcess {
    const started = startProcess(libraryEnvironment(this.#deps.environment))
    if (started.pid !== undefined) this.#deps.onProcess?.(started.pid)
    void started.ended.then(() => this.#forget(started))
    return started
  }

  #forget(ended: LibraryProcess): void {
    if (this.#process === ended) this.#process = undefined
  }

  #end(running: LibraryProcess): void {
    this.#forget(running)
    running.kill()
    const gone = running.ended.then(() => void this.#ending.delete(gone))
    this.#ending.add(gone)
  }
}

function startProcess(environment: Pkcs11Deps['environment']): LibraryProcess {
  try {
    return new LibraryProcess(environment)
  } catch (error) {
    const message = `cannot start the process of the PKCS#11 library: ${messageOf(error)}`
    throw new SignerError('unreachable', message)
  }
}
