import type { Random } from '../../../platform/core/time/backoff.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { isEndpointFailure, RpcError } from '../rpc.ts'
import type { NamedClient, RpcClient } from '../rpc-client.ts'
import { EndpointHealth } from './endpoint-health.ts'
import type { AnswerLedger } from './known-ledger.ts'
import type { LatestLedger } from './latest-ledger.ts'
import { priorityOf, type RequestPriority } from './request-priority.ts'

/** Callbacks of an endpoint, for logs and statistics. */
export interface EndpointEvents {
  /** After every failed request; `isFirst`: the one before was answered. */
  failed(endpoint: RpcEndpoint, error: RpcError, isFirst: boolean): void
  /** After the first answer that follows failures. */
  recovered(endpoint: RpcEndpoint): void
  /** Once: the endpoint is never used again. */
  wrongNetwork(endpoint: RpcEndpoint): void
}

export interface RpcEndpointOptions extends NamedClient {
  /** Passphrase of the network that it must serve. */
  readonly passphrase: string
  /** Shared by all endpoints of the network. */
  readonly latest: LatestLedger
  readonly clock: Clock
  readonly random: Random
  readonly events: EndpointEvents
}

export interface EndpointRequest<T> {
  /** Name of a Stellar RPC method. */
  readonly method: string
  readonly send: (client: RpcClient) => Promise<T>
  /** Reads from an answer the ledger it was given at; undefined where that does not matter. */
  readonly ledgerOf: (answer: T) => AnswerLedger | undefined
  /** @default that of the method */
  readonly priority?: RequestPriority
}

export interface AnswerWithLag<T> {
  readonly answer: T
  /** Ledgers by which the answer is older than the latest ledger known when the request was sent. */
  readonly behind: number
}

/** One endpoint of a pool: its client, its health, and whether it serves the right network. */
export class RpcEndpoint {
  readonly name: string
  readonly health: EndpointHealth
  readonly #options: RpcEndpointOptions
  /** Undefined until the endpoint has answered `getNetwork`. */
  #servesNetwork: boolean | undefined
  #identifying: Promise<void> | undefined

  constructor(options: RpcEndpointOptions) {
    this.#options = options
    this.name = options.name
    this.health = new EndpointHealth(options.clock.now())
  }

  get isOfOtherNetwork(): boolean {
    return this.#servesNetwork === false
  }

  /** Throws `RpcError` when the endpoint does not answer, or answers from a ledger that cannot exist. */
  async request<T>({
    method,
    send,
    ledgerOf,
    ...request
  }: EndpointRequest<T>): Promise<AnswerWithLag<T>> {
    const { client, latest, clock } = this.#options
    const priority = request.priority ?? priorityOf(method)
    this.health.starts(clock.now(), priority)
    await this.identify(priority)
    const known = latest.sequence
    // Lower than before when the network was reset in between.
    const isOutdated = (ledger: AnswerLedger) =>
      ledger.closeTime === undefined && latest.sequence < known
    const { answer, ledger } = await this.#timed(priority, async () => {
      const answer = await send(client)
      const ledger = ledgerOf(answer)
      if (ledger && !isOutdated(ledger)) await this.#observe(ledger, method)
      return { answer, ledger }
    })
    if (!ledger) return { answer, behind: 0 }
    // A late answer from before the reset must not bring the old number back.
    if (isOutdated(ledger)) return { answer, behind: known - latest.sequence }
    this.health.isAt(clock.now(), ledger.sequence)
    this.health.behind = Math.max(0, latest.sequence - ledger.sequence)
    const expected = Math.min(known, latest.requiredOf(this))
    return { answer, behind: Math.max(0, expected - ledger.sequence) }
  }

  /**
   * Throws `RpcError` when the ledger cannot be of this network now. An answer without a close time is no
   * proof, so then the endpoint is asked for its latest ledger, which has one.
   */
  async #observe(ledger: AnswerLedger, method: string): Promise<void> {
    const { client, latest } = this.#options
    if (latest.observe(ledger, this)) return
    if (ledger.closeTime === undefined) {
      latest.observe(await client.latestLedger(), this)
      if (latest.observe(ledger, this)) return
    }
    const time = ledger.closeTime === undefined ? '' : ` with close time ${ledger.closeTime}`
    const message = `${this.name} claims ledger ${ledger.sequence}${time}, while the latest is ${latest.sequence}`
    throw new RpcError('unreadable', method, message)
  }

  /** Reads, once, which network it serves. Throws `RpcError` when it does not answer or serves another network. */
  async identify(priority: RequestPriority = 'high'): Promise<void> {
    if (this.#servesNetwork === undefined) {
      this.#identifying ??= this.#identify(priority).finally(() => {
        this.#identifying = undefined
      })
      await this.#identifying
    }
    if (this.#servesNetwork) return
    const message = `${this.name} serves another network`
    throw new RpcError('wrong_network', 'getNetwork', message, { wasRefused: true })
  }

  async #identify(priority: RequestPriority): Promise<void> {
    const { client, passphrase, events } = this.#options
    try {
      this.#servesNetwork = (await this.#timed(priority, () => client.passphrase())) === passphrase
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      const message = `${this.name} did not say which network it serves`
      const { kind, retryAfterMs } = cause
      // Refused: the caller's own request was never sent.
      throw new RpcError(kind, 'getNetwork', message, { cause, retryAfterMs, wasRefused: true })
    }
    if (!this.#servesNetwork) events.wrongNetwork(this)
  }

  async #timed<T>(priority: RequestPriority, work: () => Promise<T>): Promise<T> {
    const { clock, random, events } = this.#options
    const startedAt = clock.now()
    try {
      const answer = await work()
      const hadFailed = this.health.answered(clock.now(), clock.now() - startedAt, priority)
      if (hadFailed) events.recovered(this)
      return answer
    } catch (error) {
      if (error instanceof RpcError && isEndpointFailure(error)) {
        const isFirst = this.health.failed(clock.now(), error, random, priority)
        events.failed(this, error, isFirst)
      }
      throw error
    }
  }
}
