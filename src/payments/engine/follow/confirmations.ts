import type { Clock } from '../../../platform/core/time/clock.ts'
import { undefinedWhenLate, withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import { outsideLogScope } from '../../../platform/telemetry/logs/log-scope.ts'
import type { PageStart } from '../../../stellar/rpc/pages/transaction-position.ts'
import {
  type AppliedTransaction,
  RpcError,
  type StellarRpc,
  type TransactionStatus,
} from '../../../stellar/rpc/rpc.ts'
import type { NetworkTime } from '../network/network-time.ts'
import type { LandingWindow } from './ledger-outcome.ts'
import { type AwaitedTransaction, planLookups } from './plan-lookups.ts'

/** Pause between polls near the expected close of a ledger. */
const NEAR_CLOSE_MS = 100
/** Longest pause between polls. */
const MAX_PAUSE_MS = 1_000
/** Concurrent look-ups by hash after a ledger closed. */
const MAX_CONCURRENT_LOOKUPS = 16
/** Bounds one search to a few ledgers of 1,000 transactions; the next search continues from there. */
const MAX_PAGES = 20
/** Progress of searches is kept for longer than a settlement's transaction is valid. */
const REMEMBERED_LEDGERS = 50

/** The default: the transaction may be in any ledger. */
const anyLedger: LandingWindow = { maxTime: 0, recordedAtLedger: 0 }

interface Waiter extends AwaitedTransaction {
  readonly hash: string
  searchedUpTo: number
  last: TransactionStatus | undefined
  readonly done: (status: TransactionStatus) => void
}

export interface ConfirmationOptions {
  readonly rpc: Pick<StellarRpc, 'latestLedger' | 'transaction' | 'transactionsSince'>
  readonly time: NetworkTime
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Waits for transactions of one network. While there are waiters it polls for ledger closes, and after
 * each close looks up every hash, with one search when there are more than a few. Without waiters it sends
 * no request.
 */
export class Confirmations {
  readonly #options: ConfirmationOptions
  readonly #waiters = new Set<Waiter>()
  /** The last ledger searched for an earlier waiter, by hash. */
  readonly #searchedUpTo = new Map<string, number>()
  #running = false

  constructor(options: ConfirmationOptions) {
    this.#options = options
  }

  /**
   * Resolves with the first status other than NOT_FOUND, or after `withinMs` with the last one that a
   * look-up by this hash returned, undefined without any. Only such a status can prove that a
   * transaction whose max time has passed is in no ledger.
   */
  async watch(
    hash: string,
    withinMs: number,
    landing: LandingWindow = anyLedger,
  ): Promise<TransactionStatus | undefined> {
    const { clock, signal } = this.#options
    const found = Promise.withResolvers<TransactionStatus>()
    const waiter: Waiter = {
      hash,
      landing,
      searchedUpTo: this.#searchedUpTo.get(hash) ?? landing.recordedAtLedger,
      last: undefined,
      done: found.resolve,
    }
    this.#waiters.add(waiter)
    this.#start()
    try {
      return await withTimeLimit({ clock, ms: withinMs, signal }, () => found.promise)
    } catch (error) {
      return undefinedWhenLate(error) ?? waiter.last
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  #start(): void {
    if (this.#running) return
    this.#running = true
    const running = outsideLogScope(() => this.#run())
    void running.finally(() => {
      this.#running = false
    })
  }

  async #run(): Promise<void> {
    const { clock, signal, onError } = this.#options
    while (this.#waiters.size > 0 && !signal.aborted) {
      try {
        await this.#poll()
        await clock.sleep(this.#pauseMs(), signal)
      } catch (error) {
        if (signal.aborted) return
        onError(error)
        await clock.sleep(MAX_PAUSE_MS, signal).catch(() => undefined)
      }
    }
  }

  async #poll(): Promise<void> {
    const { rpc, time, signal } = this.#options
    const tip = await rpc.latestLedger(signal)
    time.observe(tip)
    const plan = planLookups(this.#waiters, tip)
    const unanswered = plan.batch ? await this.#searchBatch(plan.batch.all, plan.batch.after) : []
    const single = [...plan.single, ...unanswered]
    for (let from = 0; from < single.length; from += MAX_CONCURRENT_LOOKUPS) {
      const next = single.slice(from, from + MAX_CONCURRENT_LOOKUPS)
      await Promise.all(next.map((waiter) => this.#lookUp(waiter)))
    }
    this.#forgetBefore(tip.sequence - REMEMBERED_LEDGERS)
  }

  /**
   * Tells each waiter as soon as its page has arrived: its result is stored while the next page is on its way.
   * @returns the waiters to look up by hash, when the endpoint cannot search for several
   */
  async #searchBatch(waiters: readonly Waiter[], after: number): Promise<readonly Waiter[]> {
    const { rpc, signal, onError } = this.#options
    let open = waiters
    let start: PageStart | undefined = { startLedger: after + 1 }
    try {
      for (let page = 1; start && open.length > 0 && page <= MAX_PAGES; page++) {
        const hashes = new Set(open.map(({ hash }) => hash))
        const { found, throughLedger, next } = await rpc.transactionsSince(start, hashes, signal)
        for (const waiter of open) {
          const status = found.get(waiter.hash)
          if (status) this.#found(waiter, status)
          else this.#notFound(waiter, Math.max(waiter.searchedUpTo, throughLedger))
        }
        open = open.filter(({ hash }) => !found.has(hash))
        start = next
      }
      return []
    } catch (error) {
      signal.throwIfAborted()
      onError(error)
      return error instanceof RpcError && error.kind === 'rejected' ? open : []
    }
  }

  async #lookUp(waiter: Waiter): Promise<void> {
    const { rpc, signal, onError } = this.#options
    try {
      const status = await rpc.transaction(waiter.hash, signal)
      if (status.status !== 'NOT_FOUND') return this.#found(waiter, status)
      waiter.last = status
      this.#notFound(waiter, status.latestLedger)
    } catch (error) {
      // One failed look-up must not delay the others; the next round repeats it.
      onError(error)
    }
  }

  #found(waiter: Waiter, status: AppliedTransaction): void {
    this.#searchedUpTo.delete(waiter.hash)
    waiter.done(status)
  }

  #notFound(waiter: Waiter, upTo: number): void {
    waiter.searchedUpTo = upTo
    this.#searchedUpTo.set(waiter.hash, upTo)
  }

  #forgetBefore(ledger: number): void {
    for (const [hash, searchedUpTo] of this.#searchedUpTo) {
      if (searchedUpTo < ledger) this.#searchedUpTo.delete(hash)
    }
  }

  #pauseMs(): number {
    const { time, clock } = this.#options
    const untilClose = time.nextCloseAt - clock.now()
    return Math.min(MAX_PAUSE_MS, Math.max(NEAR_CLOSE_MS, untilClose - 2 * NEAR_CLOSE_MS))
  }
}
