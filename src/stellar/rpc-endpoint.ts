import type { Clock } from '../core/clock.ts'
import { EndpointHealth } from './endpoint-health.ts'
import type { Random } from './full-jitter.ts'
import type { NewestLedger, Sighting } from './newest-ledger.ts'
import { RpcError } from './rpc.ts'
import type { RpcClient } from './rpc-client.ts'

export interface NamedClient {
  /** For logs and figures; must hold no secret, as paths and queries of providers may. */
  readonly name: string
  readonly client: RpcClient
}

/** Told what becomes of an endpoint. */
export interface EndpointEvents {
  /** At every request that failed. */
  failed(endpoint: RpcEndpoint, error: RpcError): void
  /** At the first answer after failures. */
  recovered(endpoint: RpcEndpoint): void
  /** Once: it is never asked again. */
  takenOut(endpoint: RpcEndpoint): void
}

export interface RpcEndpointOptions extends NamedClient {
  /** Of the network it has to serve. */
  readonly passphrase: string
  /** Of all endpoints of the network. */
  readonly newest: NewestLedger
  readonly clock: Clock
  readonly random: Random
  readonly events: EndpointEvents
}

/** Reads which ledger an answer is from; undefined where it does not matter. */
export type Sight<T> = (answer: T) => Sighting | undefined

export interface Answered<T> {
  readonly answer: T
  /** Ledgers by which the answer is older than what had been seen when the question was asked. */
  readonly behind: number
}

/** One endpoint of a pool: its client, and what is known of it. */
export class RpcEndpoint {
  readonly name: string
  readonly health: EndpointHealth
  readonly #options: RpcEndpointOptions
  /** Undefined until it was asked. */
  #servesNetwork: boolean | undefined
  #identifying: Promise<void> | undefined

  constructor(options: RpcEndpointOptions) {
    this.#options = options
    this.name = options.name
    this.health = new EndpointHealth(options.clock.now())
  }

  /** Known to serve another network. */
  get isTakenOut(): boolean {
    return this.#servesNetwork === false
  }

  /** Throws `RpcError` without an answer. */
  async ask<T>(question: (client: RpcClient) => Promise<T>, sight: Sight<T>): Promise<Answered<T>> {
    const { client, newest } = this.#options
    await this.identify()
    const known = newest.sequence
    const answer = await this.#timed(() => question(client))
    const seen = sight(answer)
    if (!seen) return { answer, behind: 0 }
    newest.observe(seen)
    this.health.behind = Math.max(0, newest.sequence - seen.sequence)
    // Lower than what was known, where the network has begun anew since.
    const expected = Math.min(known, newest.sequence)
    return { answer, behind: Math.max(0, expected - seen.sequence) }
  }

  /** Finds out, once, which network it serves. Throws `RpcError` when it is not ours, or not told. */
  async identify(): Promise<void> {
    if (this.#servesNetwork === undefined) {
      this.#identifying ??= this.#identify().finally(() => {
        this.#identifying = undefined
      })
      await this.#identifying
    }
    if (this.#servesNetwork) return
    const message = `${this.name} serves another network`
    throw new RpcError('wrong_network', 'getNetwork', message, { wasRefused: true })
  }

  async #identify(): Promise<void> {
    const { client, passphrase, events } = this.#options
    try {
      this.#servesNetwork = (await this.#timed(() => client.passphrase())) === passphrase
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      const message = `${this.name} did not say which network it serves`
      const { kind, retryAfterMs } = cause
      // The question that was meant for it never left.
      throw new RpcError(kind, 'getNetwork', message, { cause, retryAfterMs, wasRefused: true })
    }
    if (!this.#servesNetwork) events.takenOut(this)
  }

  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const { clock, random, events } = this.#options
    const begun = clock.now()
    try {
      const answer = await work()
      const hadFailed = !this.health.isWell
      this.health.answered(clock.now(), clock.now() - begun)
      if (hadFailed) events.recovered(this)
      return answer
    } catch (error) {
      if (error instanceof RpcError && isIllness(error)) {
        this.health.failed(clock.now(), error, random)
        events.failed(this, error)
      }
      throw error
    }
  }
}

/** That it refuses one request for what is in it is no illness of the endpoint. */
const isIllness = ({ kind, wasRefused }: RpcError): boolean =>
  kind === 'transport' || kind === 'unreadable' || (kind === 'rejected' && !wasRefused)
