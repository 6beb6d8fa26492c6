/** Limits the queue of one phase, and sums the fees of each payer (stellar-core's TxQueueLimiter). */
import type { AccountId } from '../../ledger/account-id.ts'
import type { Envelope } from '../envelope.ts'
import { byFeeRateDescending, compareFeeRates, computeBetterFee } from '../fees/fees.ts'
import {
  addResources,
  fitsWithin,
  multiplyResources,
  type Resources,
  resourcesOf,
  subtractResources,
  zeroResources,
} from '../soroban/ledger-resources.ts'

/** The queue holds as much as this many ledgers. */
const QUEUE_SIZE_MULTIPLIER = 2

interface CanAddTx {
  readonly canAdd: boolean
  /** The least whole fee that would be accepted, where a higher fee would help. */
  readonly minFee?: bigint
}

export class TxQueueLimiter {
  readonly #limits: Resources
  readonly #pending = new Set<Envelope>()
  #used: Resources
  /** Stroops that each payer bids for all its pending transactions. */
  readonly #totalFees = new Map<AccountId, bigint>()
  /** The highest fee rate evicted since the last ledger: a new transaction must exceed it. */
  #evicted: Envelope | undefined

  constructor(ledgerLimit: Resources) {
    this.#limits = multiplyResources(ledgerLimit, QUEUE_SIZE_MULTIPLIER)
    this.#used = zeroResources(ledgerLimit)
  }

  totalFeesOf(payer: AccountId): bigint {
    return this.#totalFees.get(payer) ?? 0n
  }

  addTransaction(envelope: Envelope): void {
    this.#pending.add(envelope)
    this.#used = addResources(this.#used, resourcesOf(envelope))
    this.#totalFees.set(envelope.feeSource, this.totalFeesOf(envelope.feeSource) + envelope.fee)
  }

  removeTransaction(envelope: Envelope): void {
    if (!this.#pending.delete(envelope)) return
    this.#used = subtractResources(this.#used, resourcesOf(envelope))
    const left = this.totalFeesOf(envelope.feeSource) - envelope.fee
    if (left > 0n) this.#totalFees.set(envelope.feeSource, left)
    else this.#totalFees.delete(envelope.feeSource)
  }

  /** Whether the transaction fits, if necessary after lower fee rates are evicted. */
  canAddTx(envelope: Envelope, replaced: Envelope | undefined): CanAddTx {
    const evicted = this.#evicted
    if (evicted && compareFeeRates(envelope, evicted) <= 0) {
      return { canAdd: false, minFee: computeBetterFee(envelope, evicted) }
    }
    const added = addedResources(envelope, replaced)
    if (!fitsWithin(added, this.#limits)) return { canAdd: false }
    const obstacle = this.#toEvict(added).find(
      (lower) =>
        compareFeeRates(lower, envelope) >= 0 ||
        lower.transaction.source === envelope.transaction.source,
    )
    if (!obstacle) return { canAdd: true }
    if (compareFeeRates(obstacle, envelope) < 0) return { canAdd: false }
    return { canAdd: false, minFee: computeBetterFee(envelope, obstacle) }
  }

  /** The transactions to remove so that this one fits. Requires `canAddTx`. */
  evictTransactions(envelope: Envelope, replaced: Envelope | undefined): readonly Envelope[] {
    const evictions = this.#toEvict(addedResources(envelope, replaced))
    this.#evicted = evictions.at(-1) ?? this.#evicted
    return evictions
  }

  resetEvictionState(): void {
    this.#evicted = undefined
  }

  /** The lowest fee rates, as many as make `added` fit. */
  #toEvict(added: Resources): readonly Envelope[] {
    let excess = subtractResources(addResources(this.#used, added), this.#limits)
    const evictions: Envelope[] = []
    if (excess.every((amount) => amount === 0)) return evictions
    for (const lowest of [...this.#pending].sort(byFeeRateDescending).reverse()) {
      if (excess.every((amount) => amount === 0)) break
      evictions.push(lowest)
      excess = subtractResources(excess, resourcesOf(lowest))
    }
    return evictions
  }
}

const addedResources = (envelope: Envelope, replaced: Envelope | undefined): Resources =>
  replaced ? subtractResources(resourcesOf(envelope), resourcesOf(replaced)) : resourcesOf(envelope)
