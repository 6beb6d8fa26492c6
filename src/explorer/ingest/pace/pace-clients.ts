import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { NamedClient, RpcClient } from '../../../stellar/rpc/rpc-client.ts'

const REQUESTS_PER_SECOND = 10

export interface PacingOptions {
  readonly clock: Pick<SteadyClock, 'monotonic' | 'sleep'>
  /** To one host. @default 10 */
  readonly requestsPerSecond?: number
}

/** Wraps the clients of one network. */
export type PaceClients = (clients: readonly NamedClient[]) => readonly NamedClient[]

/**
 * Limits the requests to each host, over all networks whose clients it has wrapped: the operators of public endpoints
 * ask for that. Requests wait for their turn in the order in which they came.
 */
export function hostPacing({
  clock,
  requestsPerSecond = REQUESTS_PER_SECOND,
}: PacingOptions): PaceClients {
  const turns = new Map<string, Turns>()
  return (clients) =>
    clients.map(({ name, client }) => {
      const host = hostOf(name)
      const own = turns.get(host) ?? new Turns(clock, 1_000 / requestsPerSecond)
      turns.set(host, own)
      return { name, client: pacedClient(client, own) }
    })
}

/** Names of several endpoints of one host end with a number. */
const hostOf = (name: string): string => name.replace(/ \(\d+\)$/, '')

/** Hands out turns of equal length. */
class Turns {
  readonly #clock: PacingOptions['clock']
  readonly #everyMs: number
  /** A time that never goes back: a clock set back by a day would stop all requests for a day. */
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(clock: PacingOptions['clock'], everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  async wait(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#everyMs
    if (at > now) await this.#clock.sleep(at - now, signal)
  }
}

/** Every request waits for its turn. */
function pacedClient(client: RpcClient, turns: Turns): RpcClient {
  const inTurn = async <T>(signal: AbortSignal | undefined, request: () => Promise<T>) => {
    await turns.wait(signal)
    return request()
  }
  return {
    passphrase: (signal) => inTurn(signal, () => client.passphrase(signal)),
    latestLedger: (signal) => inTurn(signal, () => client.latestLedger(signal)),
    simulate: (envelope, signal, queue) =>
      inTurn(signal, () => client.simulate(envelope, signal, queue)),
    send: (envelope, signal) => inTurn(signal, () => client.send(envelope, signal)),
    transaction: (hash, signal) => inTurn(signal, () => client.transaction(hash, signal)),
    transactionsSince: (start, hashes, signal) =>
      inTurn(signal, () => client.transactionsSince(start, hashes, signal)),
    transactionsPage: (start, limit, signal) =>
      inTurn(signal, () => client.transactionsPage(start, limit, signal)),
    accounts: (addresses, signal) => inTurn(signal, () => client.accounts(addresses, signal)),
    ledgerEntries: (keys, signal) => inTurn(signal, () => client.ledgerEntries(keys, signal)),
    lumensMoved: (query, signal) => inTurn(signal, () => client.lumensMoved(query, signal)),
    madeTransfer: (query, signal) => inTurn(signal, () => client.madeTransfer(query, signal)),
    feeStats: (signal) => inTurn(signal, () => client.feeStats(signal)),
  }
}
