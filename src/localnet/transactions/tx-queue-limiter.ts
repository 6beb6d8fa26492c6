/** How much may wait of one kind of transactions, and what their payers owe (stellar-core's TxQueueLimiter). */
import type { AccountId } from '../ledger/account-id.ts'
import type { Envelope } from './envelope.ts'
import { byFeeRateDescending, compareFeeRates, computeBetterFee } from './fee-rate.ts'
import {
  fitsWithin,
  minus,
  nothing,
  plus,
  type Resources,
  takes,
  times,
} from './ledger-resources.ts'

/** Ledgers' worth of transactions that may wait. */
const LEDGERS = 2

interface Room {
  readonly fits: boolean
  /** The whole fee that would have found room, where a fee could. */
  readonly minimum?: bigint
}

export class TxQueueLimiter {
  readonly #limits: Resources
  readonly #waiting = new Set<Envelope>()
  #used: Resources
  /** Stroops that each payer bids for all that waits. */
  readonly #due = new Map<AccountId, bigint>()
  /** The best of those evicted since the last ledger: whoever comes must bid more. */
  #evicted: Envelope | undefined

  constructor(ledger: Resources) {
    this.#limits = times(ledger, LEDGERS)
    this.#used = nothing(ledger)
  }

  dueFrom(payer: AccountId): bigint {
    return this.#due.get(payer) ?? 0n
  }

  add(envelope: Envelope): void {
    this.#waiting.add(envelope)
    this.#used = plus(this.#used, takes(envelope))
    this.#due.set(envelope.feeSource, this.dueFrom(envelope.feeSource) + envelope.fee)
  }

  remove(envelope: Envelope): void {
    if (!this.#waiting.delete(envelope)) return
    this.#used = minus(this.#used, takes(envelope))
    const left = this.dueFrom(envelope.feeSource) - envelope.fee
    if (left > 0n) this.#due.set(envelope.feeSource, left)
    else this.#due.delete(envelope.feeSource)
  }

  /** Whether there is room for it, if need be in the place of lower bids. */
  room(envelope: Envelope, replaced: Envelope | undefined): Room {
    const evicted = this.#evicted
    if (evicted && compareFeeRates(envelope, evicted) <= 0) {
      return { fits: false, minimum: computeBetterFee(envelope, evicted) }
    }
    const more = this.#more(envelope, replaced)
    if (!fitsWithin(more, this.#limits)) return { fits: false }
    const obstacle = this.#evictions(more).find(
      (lower) =>
        compareFeeRates(lower, envelope) >= 0 ||
        lower.transaction.source === envelope.transaction.source,
    )
    if (!obstacle) return { fits: true }
    if (compareFeeRates(obstacle, envelope) < 0) return { fits: false }
    return { fits: false, minimum: computeBetterFee(envelope, obstacle) }
  }

  /** Those that must go so that it finds room; there must be room for it. */
  evictFor(envelope: Envelope, replaced: Envelope | undefined): readonly Envelope[] {
    const evictions = this.#evictions(this.#more(envelope, replaced))
    this.#evicted = evictions.at(-1) ?? this.#evicted
    return evictions
  }

  forgetEvictions(): void {
    this.#evicted = undefined
  }

  #more(envelope: Envelope, replaced: Envelope | undefined): Resources {
    return replaced ? minus(takes(envelope), takes(replaced)) : takes(envelope)
  }

  /** The lowest bids, as many as free the room that `more` lacks. */
  #evictions(more: Resources): readonly Envelope[] {
    let needed = minus(plus(this.#used, more), this.#limits)
    const evictions: Envelope[] = []
    if (needed.every((amount) => amount === 0)) return evictions
    for (const lowest of [...this.#waiting].sort(byFeeRateDescending).reverse()) {
      if (needed.every((amount) => amount === 0)) break
      evictions.push(lowest)
      needed = minus(needed, takes(lowest))
    }
    return evictions
  }
}
