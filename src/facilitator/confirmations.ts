import type { Clock } from '../core/clock.ts'
import {
  type AppliedTransaction,
  RpcError,
  type StellarRpc,
  type TransactionStatus,
} from '../stellar/rpc.ts'
import { onBehalfOfAll } from '../telemetry/log-scope.ts'
import type { Submission } from './judge.ts'
import type { NetworkTime } from './network-time.ts'
import { type Awaited, planLook } from './plan-look.ts'

/** Near the expected close the watcher looks this often; further from it, at most this seldom. */
const NEAR_MS = 150
const FAR_MS = 1_000
/** Single look-ups in flight at once after a ledger closed. */
const AT_ONCE = 16
/** Over the life of a settlement's transaction: what was looked for further back is over. */
const REMEMBERED_LEDGERS = 50

/** A transaction of which nothing is known: it may be in any ledger, and none can be too late. */
const anywhere: Submission = { maxTime: 0, recordedAtLedger: 0 }

interface Waiter extends Awaited {
  readonly hash: string
  lookedUpTo: number
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
 * One watcher a network: it polls for ledger closes while anybody waits, and after each close looks
 * for every hash that is waited for, in one batch when they are more than a few. Without waiters it
 * does nothing.
 */
export class Confirmations {
  readonly #options: ConfirmationOptions
  readonly #waiters = new Set<Waiter>()
  /** By hash, how far the last one who waited for it had it looked for. */
  readonly #lookedUpTo = new Map<string, number>()
  #running = false

  constructor(options: ConfirmationOptions) {
    this.#options = options
  }

  /**
   * Resolves with the first status that is not NOT_FOUND, or after `withinMs` with the last one that
   * a look-up of this very hash gave: undefined when there was none. Only such a one can prove that a
   * transaction whose max time has passed is in no ledger.
   */
  async watch(
    hash: string,
    withinMs: number,
    submission: Submission = anywhere,
  ): Promise<TransactionStatus | undefined> {
    const { clock, signal } = this.#options
    const settled = Promise.withResolvers<TransactionStatus>()
    const waiter: Waiter = {
      hash,
      submission,
      lookedUpTo: this.#lookedUpTo.get(hash) ?? submission.recordedAtLedger,
      last: undefined,
      done: settled.resolve,
    }
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    this.#waiters.add(waiter)
    this.#start()
    try {
      const timeout = clock.sleep(withinMs, stop).then(
        () => waiter.last,
        () => {
          signal.throwIfAborted()
          return waiter.last
        },
      )
      return await Promise.race([settled.promise, timeout])
    } finally {
      this.#waiters.delete(waiter)
      over.abort()
    }
  }

  #start(): void {
    if (this.#running) return
    this.#running = true
    const running = onBehalfOfAll(() => this.#run())
    void running.finally(() => {
      this.#running = false
    })
  }

  async #run(): Promise<void> {
    const { clock, signal, onError } = this.#options
    while (this.#waiters.size > 0 && !signal.aborted) {
      try {
        await this.#look()
        await clock.sleep(this.#pauseMs(), signal)
      } catch (error) {
        if (signal.aborted) return
        onError(error)
        await clock.sleep(FAR_MS, signal).catch(() => undefined)
      }
    }
  }

  async #look(): Promise<void> {
    const { rpc, time, signal } = this.#options
    const tip = await rpc.latestLedger(signal)
    time.observe(tip)
    const { alone, together } = planLook(this.#waiters, tip)
    const left = together ? await this.#lookTogether(together.all, together.after) : []
    const single = [...alone, ...left]
    for (let from = 0; from < single.length; from += AT_ONCE) {
      await Promise.all(single.slice(from, from + AT_ONCE).map((waiter) => this.#lookUp(waiter)))
    }
    this.#forgetBefore(tip.sequence - REMEMBERED_LEDGERS)
  }

  /** @returns those for whom it was of no use: the endpoint cannot look for several at once */
  async #lookTogether(waiters: readonly Waiter[], after: number): Promise<readonly Waiter[]> {
    const { rpc, signal, onError } = this.#options
    try {
      const wanted = new Set(waiters.map(({ hash }) => hash))
      const { found, throughLedger } = await rpc.transactionsSince(after, wanted, signal)
      for (const waiter of waiters) {
        const status = found.get(waiter.hash)
        if (status) this.#found(waiter, status)
        else this.#absent(waiter, Math.max(waiter.lookedUpTo, throughLedger))
      }
      return []
    } catch (error) {
      signal.throwIfAborted()
      onError(error)
      return error instanceof RpcError && error.kind === 'rejected' ? waiters : []
    }
  }

  async #lookUp(waiter: Waiter): Promise<void> {
    const { rpc, signal, onError } = this.#options
    try {
      const status = await rpc.transaction(waiter.hash, signal)
      if (status.status !== 'NOT_FOUND') return this.#found(waiter, status)
      waiter.last = status
      this.#absent(waiter, status.latestLedger)
    } catch (error) {
      // One failed look-up must not delay the others; the next round repeats it.
      onError(error)
    }
  }

  #found(waiter: Waiter, status: AppliedTransaction): void {
    this.#lookedUpTo.delete(waiter.hash)
    waiter.done(status)
  }

  #absent(waiter: Waiter, upTo: number): void {
    waiter.lookedUpTo = upTo
    this.#lookedUpTo.set(waiter.hash, upTo)
  }

  #forgetBefore(ledger: number): void {
    for (const [hash, lookedUpTo] of this.#lookedUpTo) {
      if (lookedUpTo < ledger) this.#lookedUpTo.delete(hash)
    }
  }

  #pauseMs(): number {
    const { time, clock } = this.#options
    const untilClose = time.nextCloseAt - clock.now()
    return Math.min(FAR_MS, Math.max(NEAR_MS, untilClose - 2 * NEAR_MS))
  }
}
