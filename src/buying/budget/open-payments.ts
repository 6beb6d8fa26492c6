import type { Clock } from '../../platform/core/time/clock.ts'
import { authorizationOutcomes } from '../sign/signed-authorization.ts'
import type { Budget } from './budget.ts'

export interface OpenPaymentsOptions {
  readonly budget: Budget
  /** Stellar RPC of the wallet, over https. */
  readonly rpcUrl: string
}

/**
 * The payments of a wallet that are not over: those that this process makes, and those whose outcome only the ledger can show.
 */
export class OpenPayments implements AsyncDisposable {
  readonly #budget: Budget
  readonly #rpcUrl: string
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #search: Promise<boolean> | undefined

  constructor({ budget, rpcUrl }: OpenPaymentsOptions) {
    this.#budget = budget
    this.#rpcUrl = rpcUrl
  }

  /** Runs a call to its end, also after its caller has left; `ending` aborts when the process ends. */
  run<T>(call: (ending: AbortSignal) => Promise<T>): Promise<T> {
    const running = call(this.#ending.signal)
    const forget = () => void this.#running.delete(running)
    this.#running.add(running)
    running.then(forget, forget)
    return running
  }

  /**
   * Asks the ledger now and again until the process ends: an RPC forgets its ledgers after a day or a week, and what it has
   * forgotten only the owner can end.
   */
  follow(clock: Pick<Clock, 'sleep'>): void {
    const following = this.run(async (ending) => {
      while (!ending.aborted) {
        await this.resolve()
        await clock.sleep(FOLLOW_EVERY_MS, ending)
      }
    })
    following.catch(() => undefined)
  }

  /**
   * Asks the ledger about every signed payment of the budget, and gives back what certainly was not taken. Calls at the same time share
   * one search. @returns whether the ledger could be asked about each
   */
  resolve(): Promise<boolean> {
    this.#search ??= this.run(() => this.#resolveEach()).finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  /** Ends what was not sent, and the waits for answers to what was. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error('the program ends'))
    await Promise.allSettled(this.#running)
  }

  async #resolveEach(): Promise<boolean> {
    let isRead = true
    const unresolved = this.#budget.unresolved()
    const authorizations = unresolved.map(({ payment }) => payment)
    const outcomeOf = authorizationOutcomes(this.#rpcUrl, authorizations, this.#ending.signal)
    const waiting = unresolved.values()
    const resolveSome = async () => {
      for (const { id, payment } of waiting) {
        try {
          this.#budget.resolve(id, await outcomeOf(payment))
        } catch {
          // A payment that cannot be read stays set aside, and does not delay the others.
          isRead = false
        }
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, resolveSome))
    return isRead
  }
}

const FOLLOW_EVERY_MS = 600_000
/** Searches of the ledger: where the RPC hangs, each of them waits for its whole time limit. */
const SIDE_BY_SIDE = 8
