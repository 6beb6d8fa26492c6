import type { Clock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Random } from './full-jitter.ts'
import { HourCount } from './hour-count.ts'
import type { NewestLedger } from './newest-ledger.ts'
import { RpcError } from './rpc.ts'
import { type EndpointEvents, type NamedClient, RpcEndpoint } from './rpc-endpoint.ts'

export interface EndpointRosterOptions {
  /** In the operator's order, which decides between endpoints that are equally good. */
  readonly endpoints: readonly NamedClient[]
  /** Of the network; an endpoint of another one is never used. */
  readonly passphrase: string
  readonly newest: NewestLedger
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly random: Random
}

export interface RpcPoolStats {
  /** Requests without an answer within the last hour, of all endpoints; by this process. */
  readonly transportErrors1h: number
  readonly endpoints: readonly EndpointStats[]
}

export interface EndpointStats {
  readonly name: string
  readonly state: 'well' | 'failing' | 'wrong network'
  /** Average of its last answers, in milliseconds. */
  readonly latencyMs: number
  /** Ledgers behind the newest one seen, at its last answer. */
  readonly behind: number
}

/** The endpoints of one network, and whom of them to ask. */
export class EndpointRoster {
  readonly #options: EndpointRosterOptions
  readonly #endpoints: readonly RpcEndpoint[]
  readonly #transportErrors = new HourCount()

  constructor(options: EndpointRosterOptions) {
    this.#options = options
    const events = this.#events()
    this.#endpoints = options.endpoints.map((named) => {
      const { passphrase, newest, clock, random } = options
      return new RpcEndpoint({ ...named, passphrase, newest, clock, random, events })
    })
  }

  /** Throws `RpcError` when every endpoint says that it serves another network. */
  async identify(): Promise<void> {
    await Promise.allSettled(this.#endpoints.map((endpoint) => endpoint.identify()))
    this.#usable()
  }

  /**
   * Whom to ask, the best first: who failed lately comes last, who asked to be left alone is not among
   * them. Throws `RpcError` when every endpoint serves another network.
   */
  candidates(): readonly RpcEndpoint[] {
    const now = this.#options.clock.now()
    return this.#usable()
      .filter(({ health }) => health.barredForMs(now) === 0)
      .sort(
        ({ health: a }, { health: b }) => Number(b.isWell) - Number(a.isWell) || a.cost - b.cost,
      )
  }

  /** Milliseconds for which every endpoint asks to be left alone. */
  barredForMs(): number {
    const now = this.#options.clock.now()
    return Math.min(...this.#usable().map(({ health }) => health.barredForMs(now)))
  }

  /**
   * Finds out beside real work whether endpoints that failed, lagged or were not asked for long are
   * well. While none is well, real work finds out.
   */
  lookAround(): void {
    const now = this.#options.clock.now()
    const usable = this.#usable()
    if (usable.length === 1 || !usable.some(({ health }) => health.isWell)) return
    for (const endpoint of usable) {
      if (!endpoint.health.deservesLook(now)) continue
      endpoint.health.beingLookedAt(now)
      const asked = endpoint.ask(
        (client) => client.latestLedger(),
        (tip) => tip,
      )
      // What came of it is in the endpoint's health.
      asked.catch(() => undefined)
    }
  }

  stats(): RpcPoolStats {
    return {
      transportErrors1h: this.#transportErrors.count(this.#options.clock.now()),
      endpoints: this.#endpoints.map(({ name, isTakenOut, health }) => ({
        name,
        state: isTakenOut ? 'wrong network' : health.isWell ? 'well' : 'failing',
        latencyMs: Math.round(health.latencyMs),
        behind: health.behind,
      })),
    }
  }

  #usable(): RpcEndpoint[] {
    const usable = this.#endpoints.filter(({ isTakenOut }) => !isTakenOut)
    if (usable.length > 0) return usable
    const names = this.#endpoints.map(({ name }) => name).join(', ')
    const message = `no RPC endpoint serves the network "${this.#options.passphrase}": ${names}`
    throw new RpcError('wrong_network', 'getNetwork', message)
  }

  #events(): EndpointEvents {
    const { clock, log } = this.#options
    return {
      failed: ({ name, health }, { kind, message }) => {
        if (kind === 'transport') this.#transportErrors.add(clock.now())
        if (health.failures > 1) return
        log.warn({ endpoint: name, reason: message }, 'Stellar RPC endpoint failed')
      },
      recovered: ({ name }) => log.info({ endpoint: name }, 'Stellar RPC endpoint recovered'),
      takenOut: ({ name }) =>
        log.error({ endpoint: name }, 'Stellar RPC endpoint serves another network: not used'),
    }
  }
}
