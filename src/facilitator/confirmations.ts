import type { Clock } from '../core/clock.ts'
import type { StellarRpc, TransactionStatus } from '../stellar/rpc.ts'
import type { NetworkTime } from './network-time.ts'

/** Near the expected close the watcher looks this often; further from it, at most this seldom. */
const NEAR_MS = 150
const FAR_MS = 1_000
/** Look-ups in flight at once after a ledger closed. */
const BATCH = 16

interface Waiter {
  readonly hash: string
  /** The newest ledger known not to hold the transaction. */
  lookedUpTo: number
  last: TransactionStatus | undefined
  readonly done: (status: TransactionStatus) => void
}

export interface ConfirmationOptions {
  readonly rpc: Pick<StellarRpc, 'latestLedger' | 'transaction'>
  readonly time: NetworkTime
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * One watcher a network: it polls for ledger closes while anybody waits, and after each close looks
 * up every hash that is waited for. Without waiters it does nothing.
 */
export class Confirmations {
  readonly #options: ConfirmationOptions
  readonly #waiters = new Set<Waiter>()
  #running = false

  constructor(options: ConfirmationOptions) {
    this.#options = options
  }

  /**
   * Resolves with the first status that is not NOT_FOUND, or after `withinMs` with the last one
   * seen (undefined when no look-up succeeded). `afterLedger` is a ledger known not to hold it.
   */
  async watch(
    hash: string,
    withinMs: number,
    afterLedger = 0,
  ): Promise<TransactionStatus | undefined> {
    const { clock, signal } = this.#options
    const settled = Promise.withResolvers<TransactionStatus>()
    const waiter: Waiter = {
      hash,
      lookedUpTo: afterLedger,
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
    void this.#run().finally(() => {
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
    const due = [...this.#waiters].filter((waiter) => waiter.lookedUpTo < tip.sequence)
    for (let from = 0; from < due.length; from += BATCH) {
      await Promise.all(due.slice(from, from + BATCH).map((waiter) => this.#lookUp(waiter)))
    }
  }

  async #lookUp(waiter: Waiter): Promise<void> {
    const { rpc, signal, onError } = this.#options
    try {
      const status = await rpc.transaction(waiter.hash, signal)
      waiter.last = status
      if (status.status === 'NOT_FOUND') waiter.lookedUpTo = status.latestLedger
      else waiter.done(status)
    } catch (error) {
      // One failed look-up must not delay the others; the next round repeats it.
      onError(error)
    }
  }

  #pauseMs(): number {
    const { time, clock } = this.#options
    const untilClose = time.nextCloseAt - clock.now()
    return Math.min(FAR_MS, Math.max(NEAR_MS, untilClose - 2 * NEAR_MS))
  }
}
