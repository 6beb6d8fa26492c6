/**
 * Several Stellar RPC endpoints of one network as if they were one.
 *
 * Reads go to the endpoint that answers best, and to the next one when it fails, is overloaded, or
 * answers from an older ledger than was seen before: for the caller the ledger never runs backwards.
 * When all endpoints lag, `latestLedger` repeats the newest one seen and everything else throws.
 * That a transaction is nowhere needs all endpoints that are well to say so. An envelope is sent to
 * another endpoint when the first had no answer; what the second says then is no proof that the
 * network refused it.
 */
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { agreeOnAbsence } from './agree-on-absence.ts'
import { cryptoRandom, type Random } from './full-jitter.ts'
import { HourCount } from './hour-count.ts'
import { NewestLedger } from './newest-ledger.ts'
import {
  type FoundTransactions,
  type LedgerTip,
  RpcError,
  type SendOutcome,
  type StellarRpc,
  type TransactionStatus,
} from './rpc.ts'
import { type AttemptOptions, attempts } from './rpc-attempts.ts'
import { accountsAmong, type RpcClient } from './rpc-client.ts'
import { type EndpointEvents, type NamedClient, RpcEndpoint, type Sight } from './rpc-endpoint.ts'

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
   * Asks every endpoint which network it serves. One that cannot be reached is asked again before its
   * first use. Throws `RpcError` when none is left to use, since all serve another network.
   */
  identify(): Promise<void>
  stats(): RpcPoolStats
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

const WITHIN_MS = 12_000

export const rpcPool = (options: RpcPoolOptions): RpcPool => new Pool(options)

/** Answers that tell nothing but the sequence of their ledger. */
const bySequence = ({ latestLedger: sequence }: { latestLedger: number }) => ({ sequence })
const byRange = (range: { latestLedger: number; latestCloseTime: number }) => ({
  sequence: range.latestLedger,
  closeTime: range.latestCloseTime,
})

type Sent = { readonly outcome: SendOutcome } | { readonly undecided: RpcError }

class Pool implements RpcPool {
  readonly #options: RpcPoolOptions
  readonly #endpoints: readonly RpcEndpoint[]
  readonly #newest = new NewestLedger()
  readonly #transportErrors = new HourCount()
  readonly #attempts: AttemptOptions
  #tip: LedgerTip | undefined

  constructor(options: RpcPoolOptions) {
    const { passphrase, clock, random = cryptoRandom, withinMs = WITHIN_MS } = options
    this.#options = options
    const events = this.#events()
    const common = { passphrase, newest: this.#newest, clock, random, events }
    this.#endpoints = options.endpoints.map((named) => new RpcEndpoint({ ...named, ...common }))
    const candidates = () => this.#candidates()
    const barredForMs = () => this.#barredForMs()
    this.#attempts = { clock, random, candidates, barredForMs, withinMs }
  }

  async identify(): Promise<void> {
    await Promise.allSettled(this.#endpoints.map((endpoint) => endpoint.identify()))
    this.#requireUsable()
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

  async latestLedger(signal?: AbortSignal): Promise<LedgerTip> {
    const ask = (rpc: RpcClient) => rpc.latestLedger(signal)
    try {
      const tip = await this.#read('getLatestLedger', ask, (answer) => answer, signal)
      const before = this.#tip
      // Of two questions at once, the later answer may be the older one; and a network may begin anew.
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

  ledgerEntries: StellarRpc['ledgerEntries'] = (keys, signal) =>
    this.#read('getLedgerEntries', (rpc) => rpc.ledgerEntries(keys, signal), bySequence, signal)

  accounts: StellarRpc['accounts'] = (addresses, signal) =>
    accountsAmong(this.ledgerEntries, addresses, signal)

  /** What others bid is of no particular ledger. */
  feeStats: StellarRpc['feeStats'] = (signal) =>
    this.#read(
      'getFeeStats',
      (rpc) => rpc.feeStats(signal),
      () => undefined,
      signal,
    )

  transactionsSince(
    ledger: number,
    wanted: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<FoundTransactions> {
    const ask = (rpc: RpcClient) => rpc.transactionsSince(ledger, wanted, signal)
    return this.#read('getTransactions', ask, byRange, signal)
  }

  async transaction(hash: string, signal?: AbortSignal): Promise<TransactionStatus> {
    this.#lookAround()
    const ask = async (endpoint: RpcEndpoint) =>
      (await endpoint.ask((rpc) => rpc.transaction(hash, signal), byRange)).answer
    const lookUp = async (endpoint: RpcEndpoint) => {
      const status = await ask(endpoint)
      if (status.status !== 'NOT_FOUND') return status
      const others = this.#candidates().filter((other) => other !== endpoint && other.health.isWell)
      const answers = await Promise.allSettled(others.map(ask))
      signal?.throwIfAborted()
      const statuses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const found = statuses.find((each) => each.status !== 'NOT_FOUND')
      if (found) return found
      const absences = [status, ...statuses].filter((each) => each.status === 'NOT_FOUND')
      return agreeOnAbsence(absences, this.#newest.sequence)
    }
    return attempts('getTransaction', this.#attempts, lookUp, signal)
  }

  async send(envelopeXdr: string, signal?: AbortSignal): Promise<SendOutcome> {
    this.#lookAround()
    let unanswered: RpcError | undefined
    let busy: SendOutcome | undefined
    const send = async (endpoint: RpcEndpoint): Promise<Sent | undefined> => {
      try {
        const asked = await endpoint.ask((rpc) => rpc.send(envelopeXdr, signal), byRange)
        const { answer: outcome, behind } = asked
        if (outcome.status === 'TRY_AGAIN_LATER') {
          busy = outcome
          const message = `${endpoint.name} takes nothing in just now`
          throw new RpcError('rejected', 'sendTransaction', message, { wasRefused: true })
        }
        if (outcome.status !== 'ERROR') return { outcome }
        // The first endpoint may have passed the envelope on before it fell silent. What the second
        // makes of it then, a used sequence number for instance, may be the work of these very bytes.
        if (unanswered) return { undecided: unanswered }
        // Judged by the state of an older ledger, where for instance the account's turn has not come.
        return behind > 0 ? undefined : { outcome }
      } catch (error) {
        if (error instanceof RpcError && !error.wasRefused) unanswered ??= error
        throw error
      }
    }
    const sent = await attempts('sendTransaction', this.#attempts, send, signal).catch(
      (error: unknown): Sent => {
        if (!(error instanceof RpcError)) throw error
        return busy ? { outcome: busy } : { undecided: unanswered ?? error }
      },
    )
    if ('undecided' in sent) throw sent.undecided
    return sent.outcome
  }

  async #read<T extends object>(
    method: string,
    question: (rpc: RpcClient) => Promise<T>,
    sight: Sight<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    this.#lookAround()
    const ask = async (endpoint: RpcEndpoint) => {
      const { answer, behind } = await endpoint.ask(question, sight)
      return behind > 0 ? undefined : answer
    }
    return attempts(method, this.#attempts, ask, signal)
  }

  /** Whom to ask, the best first: who failed lately comes last, who asked for quiet is left alone. */
  #candidates(): readonly RpcEndpoint[] {
    this.#requireUsable()
    const now = this.#options.clock.now()
    return this.#endpoints
      .filter(({ isTakenOut, health }) => !isTakenOut && health.barredForMs(now) === 0)
      .sort(
        ({ health: a }, { health: b }) => Number(b.isWell) - Number(a.isWell) || a.cost - b.cost,
      )
  }

  #barredForMs(): number {
    const now = this.#options.clock.now()
    const usable = this.#endpoints.filter(({ isTakenOut }) => !isTakenOut)
    return Math.min(...usable.map(({ health }) => health.barredForMs(now)))
  }

  #requireUsable(): void {
    if (this.#endpoints.some(({ isTakenOut }) => !isTakenOut)) return
    const names = this.#endpoints.map(({ name }) => name).join(', ')
    const message = `no RPC endpoint serves the network "${this.#options.passphrase}": ${names}`
    throw new RpcError('wrong_network', 'getNetwork', message)
  }

  /**
   * Finds out beside real work whether endpoints that failed, lagged or were not asked for long are
   * well. While none is well, real work finds out.
   */
  #lookAround(): void {
    const now = this.#options.clock.now()
    const usable = this.#endpoints.filter(({ isTakenOut }) => !isTakenOut)
    if (!usable.some(({ health }) => health.isWell)) return
    for (const endpoint of usable) {
      if (usable.length === 1 || !endpoint.health.deservesLook(now)) continue
      endpoint.health.beingLookedAt(now)
      endpoint
        .ask(
          (rpc) => rpc.latestLedger(),
          (tip) => tip,
        )
        .catch(() => undefined)
    }
  }

  #events(): EndpointEvents {
    const { clock, log } = this.#options
    return {
      failed: ({ name, health }, { kind, message }) => {
        if (kind === 'transport') this.#transportErrors.add(clock.now())
        const facts = { endpoint: name, reason: message }
        if (health.failures === 1) log.warn(facts, 'Stellar RPC endpoint failed')
      },
      recovered: ({ name }) => log.info({ endpoint: name }, 'Stellar RPC endpoint recovered'),
      takenOut: ({ name }) =>
        log.error(
          { endpoint: name },
          'Stellar RPC endpoint serves another network and is not used',
        ),
    }
  }
}
