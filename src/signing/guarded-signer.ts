import type { Clock } from '../platform/core/time/clock.ts'
import { noLongerNeeded } from '../platform/core/time/no-longer-needed.ts'
import { withTimeLimit } from '../platform/core/time/time-limit.ts'
import { verifierOf } from '../stellar/accounts/ed25519.ts'
import {
  type EnvelopeSigner,
  SignerError,
  type SigningRequest,
} from '../stellar/accounts/envelope-signer.ts'
import { addressOf, publicKeyOf } from '../stellar/accounts/strkey.ts'
import { type KeyService, MAX_BATCH, type SigningResult } from './key-service.ts'
import type { SignerHealth } from './signer-health.ts'

export interface GuardOptions {
  readonly service: KeyService
  /** The account whose key it must have, `G...`. */
  readonly address: string
  readonly clock: Clock
  /** The longest that a request waits for its signature, its wait for others included. */
  readonly timeoutMs: number
  /** Called after each call for signatures. @param because undefined: it gave them */
  readonly onCall?: (seconds: number, because: SignerError | undefined) => void
  /** Called when the health changes. */
  readonly onHealth?: (health: SignerHealth) => void
}

interface Waiting {
  readonly request: SigningRequest
  readonly done: (signature: Uint8Array) => void
  readonly fail: (error: unknown) => void
}

/** Without signatures to make, the key is read this often: whoever removes or replaces it learns of it soon. */
const CHECK_EVERY_MS = 15_000
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 30_000

/**
 * Asks a key service for signatures, so that whatever it does costs no payment and no fee. What comes together is one call. A request
 * waits for a set time at most. After a failure nothing is asked to be signed until the service has shown the right key again. A signature
 * that is not of the request, or by another key, is thrown away.
 */
export class GuardedSigner implements EnvelopeSigner, AsyncDisposable {
  readonly address: string
  readonly publicKey: Uint8Array
  readonly #options: GuardOptions
  readonly #isSignature: ReturnType<typeof verifierOf>
  readonly #end = new AbortController()
  #watching: Promise<void> | undefined
  #queue: Waiting[] = []
  #isCalling = false
  #health: SignerHealth = { state: 'unknown' }
  /** In a row, since the last signature. */
  #failures = 0
  #wake = Promise.withResolvers<void>()

  constructor(options: GuardOptions) {
    this.#options = options
    this.address = options.address
    this.publicKey = publicKeyOf(options.address)
    this.#isSignature = verifierOf(this.publicKey)
  }

  get health(): SignerHealth {
    return this.#health
  }

  /** Reads the key in the background from now on: without it, a failure lasts. */
  watch(): void {
    this.#watching ??= this.#watch()
  }

  async signAll(requests: readonly SigningRequest[]): Promise<readonly Uint8Array[]> {
    return Promise.all(requests.map((request) => this.#sign(request)))
  }

  /** Asks for the key now. Throws `SignerError` unless it is that of the account. */
  async check(): Promise<void> {
    const { service, address } = this.#options
    try {
      const key = await this.#within((signal) => service.publicKey(signal))
      const found = addressOf(key)
      if (found !== address) {
        throw new SignerError('no_key', `The signer has the key of ${found}, not of ${address}.`)
      }
    } catch (error) {
      throw this.#failed(error)
    }
    this.#setHealth({ state: 'works' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopping = new SignerError('unreachable', 'This process is stopping.')
    this.#end.abort(stopping)
    this.#rejectAll(stopping)
    await this.#watching
    await this.#options.service[Symbol.asyncDispose]()
  }

  async #sign(request: SigningRequest): Promise<Uint8Array> {
    if (this.#health.state === 'fails') throw this.#health.error
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const waiting = { request, done: resolve, fail: reject }
    this.#queue.push(waiting)
    void this.#callAll()
    try {
      return await this.#within(() => promise)
    } finally {
      // What came too late is not asked for any more.
      this.#queue = this.#queue.filter((each) => each !== waiting)
    }
  }

  /** One call after the other, until nothing waits. */
  async #callAll(): Promise<void> {
    if (this.#isCalling) return
    this.#isCalling = true
    // What is asked for in this turn of the event loop belongs to one call.
    await Promise.resolve()
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#call(batch)
    this.#isCalling = false
  }

  #take(): readonly Waiting[] {
    return this.#queue.splice(0, MAX_BATCH)
  }

  async #call(batch: readonly Waiting[]): Promise<void> {
    const { service, onCall } = this.#options
    const requests = batch.map(({ request }) => request)
    const startedAt = this.#options.clock.now()
    const seconds = () => (this.#options.clock.now() - startedAt) / 1_000
    try {
      const results = await this.#within((signal) => service.sign(requests, signal))
      const signatures = batch.map(({ request }, at) => this.#checked(request, results[at]))
      onCall?.(seconds(), undefined)
      for (const [at, { done, fail }] of batch.entries()) {
        const signature = signatures[at]
        if (signature instanceof SignerError) fail(signature)
        else if (signature) done(signature)
      }
      this.#failures = 0
      this.#setHealth({ state: 'works' })
    } catch (thrown) {
      const error = this.#failed(thrown)
      onCall?.(seconds(), error)
      for (const { fail } of batch) fail(error)
      this.#rejectAll(error)
    }
  }

  /** Throws unless it is a signature of the request by the account's key; returns a refusal, which concerns this request alone. */
  #checked(request: SigningRequest, result: SigningResult | undefined): Uint8Array | SignerError {
    if (result?.ok === false) {
      return new SignerError('refused', `The signer refused to sign: ${result.because}`)
    }
    if (result && this.#isSignature(request.hash, result.signature)) return result.signature
    throw new SignerError(
      'invalid',
      `The signer gave what is no signature of the request by the key of ${this.address}: nothing was sent.`,
    )
  }

  #rejectAll(error: SignerError): void {
    const waiting = this.#queue
    this.#queue = []
    for (const { fail } of waiting) fail(error)
  }

  #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, timeoutMs: ms } = this.#options
    const lateError = () =>
      new SignerError('unreachable', `The signer did not answer within ${ms} ms.`)
    return withTimeLimit({ clock, ms, signal: this.#end.signal, lateError }, work)
  }

  #failed(thrown: unknown): SignerError {
    const error =
      thrown instanceof SignerError
        ? thrown
        : new SignerError('unreachable', 'The signer failed unexpectedly.', { cause: thrown })
    this.#failures += 1
    this.#setHealth({ state: 'fails', error })
    return error
  }

  #setHealth(health: SignerHealth): void {
    const before = this.#health
    this.#health = health
    const isSame =
      before.state === health.state &&
      (before.state !== 'fails' ||
        health.state !== 'fails' ||
        before.error.message === health.error.message)
    if (isSame) return
    this.#options.onHealth?.(health)
    this.#wake.resolve()
  }

  /** Reads the key from time to time, sooner while the service fails. */
  async #watch(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#end
    let isDue = true
    while (!signal.aborted) {
      if (isDue) await this.check().catch(() => undefined)
      this.#wake = Promise.withResolvers()
      const isFailing = this.#health.state === 'fails'
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 10), LAST_RETRY_MS)
      const awake = new AbortController()
      await Promise.race([
        clock
          .sleep(isFailing ? retryMs : CHECK_EVERY_MS, AbortSignal.any([signal, awake.signal]))
          .catch(() => undefined),
        ...(isFailing ? [] : [this.#wake.promise]),
      ])
      awake.abort(noLongerNeeded)
      // A service that shows the right key and signs wrongly would count as one that works at once, until the next payment.
      isDue = isFailing || !this.#signsWrongly
    }
  }

  get #signsWrongly(): boolean {
    return this.#health.state === 'fails' && this.#health.error.problem === 'invalid'
  }
}
