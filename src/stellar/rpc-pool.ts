/**
 * Several Stellar RPC endpoints of one network as if they were one.
 *
 * Reads go to the endpoint that answers best, and to the next one when it fails, is overloaded, or
 * answers from an older ledger than was seen before: for the caller the ledger never runs backwards.
 * When all endpoints lag, `latestLedger` repeats the newest one seen and everything else throws.
 * That a transaction is nowhere needs all endpoints that are well to say so.
 */
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { agreeOnAbsence } from './agree-on-absence.ts'
import { EndpointRoster, type RpcPoolStats } from './endpoint-roster.ts'
import { cryptoRandom, type Random } from './full-jitter.ts'
import { NewestLedger } from './newest-ledger.ts'
import { type LedgerTip, RpcError, type StellarRpc, type TransactionStatus } from './rpc.ts'
import { type AttemptOptions, attempts } from './rpc-attempts.ts'
import { accountsAmong, type RpcClient } from './rpc-client.ts'
import type { NamedClient, RpcEndpoint, Sight } from './rpc-endpoint.ts'
import { sendOnce } from './send-once.ts'

export interface RpcPoolOptions {
  /** In the operator's order, which decides between endpoints that are equally good. */
  readonly endpoints: readonly NamedClient[]
  /** Of the network; an endpoint of another one is never used. */
  readonly passphrase: string
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Spreads what clients do after a failure. @default cryptographic chance */
  readonly random?: Random
  /** No attempt at an answer begins later than this after the first, in milliseconds. @default 12,000 */
  readonly withinMs?: number
}

export interface RpcPool extends StellarRpc {
  /**
   * Asks every endpoint which network it serves; one that cannot be reached is asked again before its
   * first use. Throws `RpcError` when every endpoint serves another network.
   */
  identify(): Promise<void>
  stats(): RpcPoolStats
}

const WITHIN_MS = 12_000

export const rpcPool = (options: RpcPoolOptions): RpcPool => new Pool(options)

const bySequence = ({ latestLedger: sequence }: { latestLedger: number }) => ({ sequence })
const byRange = (range: { latestLedger: number; latestCloseTime: number }) => ({
  sequence: range.latestLedger,
  closeTime: range.latestCloseTime,
})

class Pool implements RpcPool {
  readonly #roster: EndpointRoster
  readonly #newest = new NewestLedger()
  readonly #attempts: AttemptOptions
  #tip: LedgerTip | undefined

  constructor({ random = cryptoRandom, withinMs = WITHIN_MS, ...options }: RpcPoolOptions) {
    const roster = new EndpointRoster({ ...options, random, newest: this.#newest })
    this.#roster = roster
    this.#attempts = { clock: options.clock, random, withinMs, roster }
  }

  identify(): Promise<void> {
    return this.#roster.identify()
  }

  stats(): RpcPoolStats {
    return this.#roster.stats()
  }

  async latestLedger(signal?: AbortSignal): Promise<LedgerTip> {
    const ask = (rpc: RpcClient) => rpc.latestLedger(signal)
    try {
      const tip = await this.#read('getLatestLedger', ask, (answer) => answer, signal)
      const before = this.#tip
      // Of two questions at once the later answer may be the older one; and a network may begin anew.
      const isNews = !before || tip.sequence >= before.sequence
      if (isNews || this.#newest.sequence < before.sequence) this.#tip = tip
      return this.#tip ?? tip
    } catch (error) {
      if (this.#tip && error instanceof RpcError && error.kind === 'lagging') return this.#tip
      throw error
    }
  }

  simulate: StellarRpc['simulate'] = (envelope, signal) =>
    this.#read('simulateTransaction', (rpc) => rpc.simulate(envelope, signal), bySequence, signal)

  send: StellarRpc['send'] = (envelope, signal) => {
    this.#roster.lookAround()
    return sendOnce(this.#attempts, envelope, signal)
  }

  ledgerEntries: StellarRpc['ledgerEntries'] = (keys, signal) =>
    this.#read('getLedgerEntries', (rpc) => rpc.ledgerEntries(keys, signal), bySequence, signal)

  accounts: StellarRpc['accounts'] = (addresses, signal) =>
    accountsAmong(this.ledgerEntries, addresses, signal)

  feeStats: StellarRpc['feeStats'] = (signal) => {
    // What others bid lately is of no particular ledger.
    const anyLedger = () => undefined
    return this.#read('getFeeStats', (rpc) => rpc.feeStats(signal), anyLedger, signal)
  }

  transactionsSince: StellarRpc['transactionsSince'] = (ledger, wanted, signal) => {
    const ask = (rpc: RpcClient) => rpc.transactionsSince(ledger, wanted, signal)
    return this.#read('getTransactions', ask, byRange, signal)
  }

  transaction(hash: string, signal?: AbortSignal): Promise<TransactionStatus> {
    this.#roster.lookAround()
    const ask = async (endpoint: RpcEndpoint) =>
      (await endpoint.ask((rpc) => rpc.transaction(hash, signal), byRange)).answer
    const lookUp = async (endpoint: RpcEndpoint) => {
      const status = await ask(endpoint)
      if (status.status !== 'NOT_FOUND') return status
      const others = this.#roster
        .candidates()
        .filter((other) => other !== endpoint && other.health.isWell)
      const answers = await Promise.allSettled(others.map(ask))
      signal?.throwIfAborted()
      const statuses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const found = statuses.find((each) => each.status !== 'NOT_FOUND')
      return found ?? agreeOnAbsence([status, ...statuses], this.#newest.sequence)
    }
    return attempts('getTransaction', this.#attempts, lookUp, signal)
  }

  #read<T extends object>(
    method: string,
    question: (rpc: RpcClient) => Promise<T>,
    sight: Sight<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    this.#roster.lookAround()
    const ask = async (endpoint: RpcEndpoint) => {
      const { answer, behind } = await endpoint.ask(question, sight)
      return behind > 0 ? undefined : answer
    }
    return attempts(method, this.#attempts, ask, signal)
  }
}
