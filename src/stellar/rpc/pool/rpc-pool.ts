/**
 * Presents several Stellar RPC endpoints of one network as one.
 *
 * Reads go to the best endpoint, and to the next one when it fails, is overloaded, or answers from an
 * older ledger than one already reported: for the caller the ledger does not go backwards, unless endpoints dispute it. When all
 * endpoints lag, `latestLedger` repeats the latest one reported, a simulation may be three ledgers old, and
 * everything else throws. A transaction counts as not found only when all endpoints that answer say so.
 */
import { cryptoRandom, type Random } from '../../../platform/core/time/backoff.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { withPastCloseTimes, withTrueHashes } from '../pages/checked-page.ts'
import type { TransactionPages } from '../pages/transaction-pages.ts'
import {
  type LedgerTip,
  RpcError,
  type Simulation,
  type StellarRpc,
  type TransactionStatus,
} from '../rpc.ts'
import { accountsAmong, type NamedClient, type RpcClient } from '../rpc-client.ts'
import type { SimulationQueue, TokenQueue } from '../simulation-queue.ts'
import { EndpointSelector, type EndpointStats } from './endpoint-selector.ts'
import { LatestLedger } from './latest-ledger.ts'
import { mergeNotFound } from './merge-not-found.ts'
import type { RequestPriority } from './request-priority.ts'
import { type AttemptOptions, firstAnswer } from './rpc-attempts.ts'
import type { EndpointRequest, RpcEndpoint } from './rpc-endpoint.ts'
import { sendEnvelope } from './send-envelope.ts'

export interface RpcPoolOptions {
  /** In configured order, which decides between endpoints that are equally good. */
  readonly endpoints: readonly NamedClient[]
  /** The network passphrase; an endpoint of another network is never used. */
  readonly passphrase: string
  readonly clock: SteadyClock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Source of jitter. @default `cryptoRandom` */
  readonly random?: Random
  /** No attempt starts later than this after the first, in milliseconds. @default 12,000 */
  readonly withinMs?: number
}

export interface RpcPool extends StellarRpc, TransactionPages {
  /**
   * Reads from every endpoint which network it serves; from an unreachable one, again before its first
   * use. Throws `RpcError` when every endpoint serves another network.
   */
  identify(): Promise<void>
  /**
   * Asks every endpoint that answers for its latest ledger, and returns the latest one known then: an endpoint that no
   * request was sent to for a while may be ahead of the others.
   */
  newestLedger(): Promise<number>
  stats(): RpcPoolStats
}

interface RpcPoolStats extends EndpointStats {
  /** Whether endpoints have contradicted each other for minutes about the latest ledger. */
  readonly isDisputed: boolean
}

const WITHIN_MS = 12_000
/** The nodes behind one public address have been seen more than two ledgers apart (x402-foundation/x402#3168). */
const MAX_SIMULATION_LAG = 3

export const rpcPool = (options: RpcPoolOptions): RpcPool => new Pool(options)

/** Undefined for a request that the endpoint refused before it read a ledger. */
const sequenceOf = ({ latestLedger: sequence }: { latestLedger: number }) =>
  sequence > 0 ? { sequence } : undefined
const ledgerOfRange = (range: { latestLedger: number; latestCloseTime: number }) => ({
  sequence: range.latestLedger,
  closeTime: range.latestCloseTime,
})

/** The endpoint is of another network, so it cannot have the transaction. */
const isElsewhere = (error: unknown) => error instanceof RpcError && error.kind === 'wrong_network'

class Pool implements RpcPool {
  readonly #selector: EndpointSelector
  readonly #latest: LatestLedger
  readonly #attempts: AttemptOptions
  readonly #passphrase: string
  readonly #clock: SteadyClock
  #tip: LedgerTip | undefined

  constructor({ random = cryptoRandom, withinMs = WITHIN_MS, ...options }: RpcPoolOptions) {
    this.#latest = new LatestLedger(options.clock, options.endpoints.length)
    const selector = new EndpointSelector({ ...options, random, latest: this.#latest })
    this.#selector = selector
    this.#passphrase = options.passphrase
    this.#clock = options.clock
    this.#attempts = { clock: options.clock, random, withinMs, selector }
  }

  identify(): Promise<void> {
    return this.#selector.identify()
  }

  async newestLedger(): Promise<number> {
    await this.#selector.askLedgers()
    return this.#latest.sequence
  }

  stats(): RpcPoolStats {
    return { ...this.#selector.stats(), isDisputed: this.#latest.isDisputed }
  }

  async latestLedger(signal?: AbortSignal): Promise<LedgerTip> {
    const send = (rpc: RpcClient) => rpc.latestLedger(signal)
    const ledgerOf = (tip: LedgerTip) => tip
    try {
      const tip = await this.#read({ method: 'getLatestLedger', send, ledgerOf }, signal)
      const before = this.#tip
      // With two concurrent requests the later answer may be the older one; and a network may be reset.
      const isNewer = !before || tip.sequence >= before.sequence
      if (isNewer || this.#latest.sequence < before.sequence) this.#tip = tip
      return this.#tip ?? tip
    } catch (error) {
      if (this.#tip && error instanceof RpcError && error.kind === 'lagging') return this.#tip
      throw error
    }
  }

  /**
   * Accepts the result of a slightly older ledger: a simulation only predicts what a later ledger will
   * do, which checks signatures, nonce and balances again. A failure counts only when no endpoint is up
   * to date, since the payer's funds may have arrived in the latest ledger. Expiry is checked by ledger
   * number, so the result has the latest one known: neither can an expired authorization pass, nor can
   * the settlement be in a ledger up to that one.
   */
  async simulate(
    envelope: string,
    signal?: AbortSignal,
    queue?: SimulationQueue | TokenQueue,
  ): Promise<Simulation> {
    this.#selector.probeStale()
    let older: Simulation | undefined
    // The author of a token decides how long its calls take: that says nothing about the endpoint.
    const priority: RequestPriority = queue === 'simulate_token' ? 'background' : 'low'
    const attempt = async (endpoint: RpcEndpoint) => {
      const { answer, behind } = await endpoint.request({
        method: 'simulateTransaction',
        priority,
        send: (rpc) => rpc.simulate(envelope, signal, queue),
        ledgerOf: sequenceOf,
      })
      if (behind === 0 || (behind <= MAX_SIMULATION_LAG && answer.kind === 'ok')) return answer
      if (behind <= MAX_SIMULATION_LAG) older = answer
      return undefined
    }
    const attempts = { ...this.#attempts, priority }
    const result = await firstAnswer('simulateTransaction', attempts, attempt, signal).catch(
      (error: unknown) => {
        if (older && error instanceof RpcError) return older
        throw error
      },
    )
    const { latestLedger: simulatedOn } = result
    if (simulatedOn === 0 || simulatedOn >= this.#latest.sequence) return result
    return { ...result, simulatedOn, latestLedger: this.#latest.sequence }
  }

  send: StellarRpc['send'] = (envelope, signal) => {
    this.#selector.probeStale()
    return sendEnvelope(this.#attempts, envelope, signal)
  }

  ledgerEntries: StellarRpc['ledgerEntries'] = (keys, signal) => {
    const send = (rpc: RpcClient) => rpc.ledgerEntries(keys, signal)
    return this.#read({ method: 'getLedgerEntries', send, ledgerOf: sequenceOf }, signal)
  }

  accounts: StellarRpc['accounts'] = (addresses, signal) =>
    accountsAmong(this.ledgerEntries, addresses, signal)

  feeStats: StellarRpc['feeStats'] = (signal) => {
    // Recent bids belong to no particular ledger.
    const ledgerOf = () => undefined
    const send = (rpc: RpcClient) => rpc.feeStats(signal)
    return this.#read({ method: 'getFeeStats', send, ledgerOf }, signal)
  }

  lumensMoved: StellarRpc['lumensMoved'] = (query, signal) => {
    const send = (rpc: RpcClient) => rpc.lumensMoved(query, signal)
    return this.#read({ method: 'getEvents', send, ledgerOf: sequenceOf }, signal)
  }

  /** An endpoint that lacks a ledger of the query throws; a settlement waits for the answer. */
  madeTransfer: StellarRpc['madeTransfer'] = (query, signal) => {
    const send = (rpc: RpcClient) => rpc.madeTransfer(query, signal)
    return this.#read({ method: 'getEvents', priority: 'high', send, ledgerOf: sequenceOf }, signal)
  }

  transactionsSince: StellarRpc['transactionsSince'] = (start, hashes, signal) => {
    const send = (rpc: RpcClient) => rpc.transactionsSince(start, hashes, signal)
    return this.#read({ method: 'getTransactions', send, ledgerOf: ledgerOfRange }, signal)
  }

  transactionsPage: TransactionPages['transactionsPage'] = (start, limit, signal) => {
    const method = 'getTransactions'
    const send = async (rpc: RpcClient) => {
      const page = await rpc.transactionsPage(start, limit, signal)
      return withTrueHashes(withPastCloseTimes(page, this.#clock.now()), this.#passphrase)
    }
    return this.#read({ method, priority: 'background', send, ledgerOf: ledgerOfRange }, signal)
  }

  transaction(hash: string, signal?: AbortSignal): Promise<TransactionStatus> {
    this.#selector.probeStale()
    const statusAt = async (endpoint: RpcEndpoint) => {
      const { answer } = await endpoint.request({
        method: 'getTransaction',
        send: (rpc) => rpc.transaction(hash, signal),
        ledgerOf: ledgerOfRange,
      })
      return { status: answer, hasStopped: endpoint.health.hasStopped(this.#clock.now()) }
    }
    const find = async (endpoint: RpcEndpoint) => {
      const first = await statusAt(endpoint)
      if (first.status.status !== 'NOT_FOUND') return first.status
      const others = this.#selector.present().filter((other) => other !== endpoint)
      const ready = new Set(this.#selector.candidates('high'))
      const asked = others.filter((other) => ready.has(other))
      const answers = await Promise.allSettled(asked.map(statusAt))
      signal?.throwIfAborted()
      const statuses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const found = statuses.find(({ status }) => status.status !== 'NOT_FOUND')
      const isUnknown =
        asked.length < others.length ||
        answers.some((each) => each.status === 'rejected' && !isElsewhere(each.reason))
      const { sequence, isDisputed } = this.#latest
      return found?.status ?? mergeNotFound([first, ...statuses], sequence, isUnknown || isDisputed)
    }
    return firstAnswer('getTransaction', this.#attempts, find, signal)
  }

  #read<T extends object>(request: EndpointRequest<T>, signal?: AbortSignal): Promise<T> {
    this.#selector.probeStale()
    const { method, priority } = request
    const attempts = { ...this.#attempts, ...(priority && { priority }) }
    const attempt = async (endpoint: RpcEndpoint) => {
      const { answer, behind } = await endpoint.request(request)
      return behind > 0 ? undefined : answer
    }
    return firstAnswer(method, attempts, attempt, signal)
  }
}
