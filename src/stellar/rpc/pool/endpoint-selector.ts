import type { Random } from '../../../platform/core/time/backoff.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { RpcError } from '../rpc.ts'
import type { NamedClient } from '../rpc-client.ts'
import { LastHourCounter } from './last-hour-counter.ts'
import type { LatestLedger } from './latest-ledger.ts'
import type { RequestPriority } from './request-priority.ts'
import { type EndpointEvents, RpcEndpoint } from './rpc-endpoint.ts'

export interface EndpointSelectorOptions {
  /** In configured order, which decides between endpoints of equal cost. */
  readonly endpoints: readonly NamedClient[]
  /** The network passphrase; an endpoint of another network is never used. */
  readonly passphrase: string
  readonly latest: LatestLedger
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly random: Random
}

export interface EndpointStats {
  /** Requests of this process without an answer within the last hour, over all endpoints. */
  readonly transportErrors1h: number
}

/** Holds the endpoints of one network and decides which of them to use next. */
export class EndpointSelector {
  readonly #options: EndpointSelectorOptions
  readonly #endpoints: readonly RpcEndpoint[]
  readonly #transportErrors = new LastHourCounter()
  #asking: Promise<void> | undefined

  constructor(options: EndpointSelectorOptions) {
    this.#options = options
    const events = this.#events()
    this.#endpoints = options.endpoints.map((named) => {
      const { passphrase, latest, clock, random } = options
      return new RpcEndpoint({ ...named, passphrase, latest, clock, random, events })
    })
  }

  /** Throws `RpcError` when every endpoint serves another network. */
  async identify(): Promise<void> {
    await Promise.allSettled(this.#endpoints.map((endpoint) => endpoint.identify()))
    this.#usable()
  }

  /**
   * Endpoints to try, best first and failed ones last, without those whose `Retry-After` bars
   * requests of this priority. Throws `RpcError` when every endpoint serves another network.
   */
  candidates(priority: RequestPriority): readonly RpcEndpoint[] {
    const now = this.#options.clock.now()
    return this.#usable()
      .filter(({ health }) => health.retryAfterMs(now, priority) === 0)
      .sort(
        ({ health: a }, { health: b }) =>
          Number(b.isHealthy) - Number(a.isHealthy) || a.cost - b.cost,
      )
  }

  /**
   * Endpoints that may know of a transaction, also those that are not asked now: one failed request, which strangers can cause by
   * load, takes no endpoint from a vote.
   */
  present(): readonly RpcEndpoint[] {
    const now = this.#options.clock.now()
    return this.#usable().filter(({ health }) => !health.isGone(now))
  }

  /** Milliseconds until the first endpoint accepts requests of this priority; 0 when one does now. */
  retryAfterMs(priority: RequestPriority): number {
    const now = this.#options.clock.now()
    return Math.min(...this.#usable().map(({ health }) => health.retryAfterMs(now, priority)))
  }

  /**
   * Probes, in the background, endpoints that failed, lagged or were unused for long. While none is
   * healthy the real requests serve as probes.
   */
  probeStale(): void {
    const now = this.#options.clock.now()
    const usable = this.#usable()
    if (usable.length === 1 || !usable.some(({ health }) => health.isHealthy)) return
    for (const endpoint of usable) {
      if (!endpoint.health.isProbeDue(now)) continue
      endpoint.health.probeSent(now)
      // The result is recorded in the endpoint's health.
      askLedger(endpoint).catch(() => undefined)
    }
  }

  /**
   * Asks each endpoint that answered its last request for its latest ledger, which is recorded. Callers at the same time share
   * the requests. Throws `RpcError` when every endpoint serves another network.
   */
  askLedgers(): Promise<void> {
    this.#asking ??= this.#askLedgers().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #askLedgers(): Promise<void> {
    const healthy = this.candidates('low').filter(({ health }) => health.isHealthy)
    await Promise.allSettled(healthy.map((endpoint) => askLedger(endpoint, 'low')))
  }

  stats(): EndpointStats {
    return { transportErrors1h: this.#transportErrors.count(this.#options.clock.now()) }
  }

  #usable(): RpcEndpoint[] {
    const usable = this.#endpoints.filter(({ isOfOtherNetwork }) => !isOfOtherNetwork)
    if (usable.length > 0) return usable
    const names = this.#endpoints.map(({ name }) => name).join(', ')
    const message = `no RPC endpoint serves the network "${this.#options.passphrase}": ${names}`
    throw new RpcError('wrong_network', 'getNetwork', message)
  }

  #events(): EndpointEvents {
    const { clock, log } = this.#options
    return {
      failed: ({ name }, { kind, message }, isFirst) => {
        if (kind === 'transport') this.#transportErrors.add(clock.now())
        if (!isFirst) return
        log.warn({ endpoint: name, reason: message }, 'Stellar RPC endpoint failed')
      },
      recovered: ({ name }) => log.info({ endpoint: name }, 'Stellar RPC endpoint recovered'),
      wrongNetwork: ({ name }) =>
        log.error({ endpoint: name }, 'Stellar RPC endpoint serves another network: not used'),
    }
  }
}

const askLedger = (endpoint: RpcEndpoint, priority?: RequestPriority) =>
  endpoint.request({
    method: 'getLatestLedger',
    ...(priority && { priority }),
    send: (client) => client.latestLedger(),
    ledgerOf: (tip) => tip,
  })
