/**
 * The closed ledgers of the retention window: the same XDR that stellar-core writes to its close meta.
 */
import type { BaseFees } from '../transactions/set/surge-pricing.ts'
import type { TxCluster } from '../transactions/set/tx-set.ts'

/** An applied transaction, successful or failed. */
export interface AppliedTransaction {
  /** Hex; for a fee bump that of the outer envelope. */
  readonly hash: string
  /** Hex; of a fee bump's inner transaction. */
  readonly innerHash?: string
  readonly feeBump: boolean
  readonly ledger: number
  /** Unix seconds. */
  readonly closeTime: number
  /** Place in its ledger, from 1. */
  readonly applicationOrder: number
  readonly successful: boolean
  /** TransactionEnvelope XDR. */
  readonly envelopeXdr: Uint8Array
  /** TransactionResult XDR. */
  readonly resultXdr: Uint8Array
  /** TransactionMeta XDR, version 4, or 3 with `metaVersion: 3`. */
  readonly resultMetaXdr: Uint8Array
  /** LedgerEntryChanges XDR of the fee charged before the ledger's first transaction. */
  readonly feeChangesXdr: Uint8Array
  /** LedgerEntryChanges XDR of the refund after its last one; in version 3 that is in the meta. */
  readonly refundChangesXdr: Uint8Array
  /** The cluster of a Soroban transaction. @default the first */
  readonly cluster?: TxCluster
  /** ContractEvent XDR, one list per operation. */
  readonly contractEvents: readonly (readonly Uint8Array[])[]
  /** TransactionEvent XDR: the fee events of CAP-67. */
  readonly transactionEvents: readonly Uint8Array[]
  /** DiagnosticEvent XDR. */
  readonly diagnosticEvents: readonly Uint8Array[]
}

export interface ClosedLedger {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  /** Hex of the header's hash. */
  readonly hash: string
  /** LedgerHeaderHistoryEntry XDR. */
  readonly headerXdr: Uint8Array
  readonly transactions: readonly AppliedTransaction[]
  readonly fees: LedgerFees
  readonly baseFees: BaseFees
  /** LedgerKey XDR of contract entries evicted in this ledger. */
  readonly evictedKeys: readonly Uint8Array[]
}

/** Inclusion fees paid in one ledger, in stroops per operation, in application order. */
export interface LedgerFees {
  readonly classic: readonly bigint[]
  readonly soroban: readonly bigint[]
}

/** The last `window` closed ledgers, by sequence and by transaction hash. Between two of them the network may have travelled. */
export class History {
  readonly #window: number
  readonly #ledgers = new Map<number, ClosedLedger>()
  readonly #transactions = new Map<string, AppliedTransaction>()
  /** Sequences of the ledgers that travelling closed, ascending: the ones directly before them are missing. */
  readonly #landings: number[] = []
  #latest: ClosedLedger
  #oldest: ClosedLedger

  constructor(genesis: ClosedLedger, window: number) {
    if (!Number.isSafeInteger(window) || window < 1) {
      throw new RangeError(`the history window must be at least one ledger, not ${window}`)
    }
    this.#window = window
    this.#latest = genesis
    this.#oldest = genesis
    this.add(genesis)
  }

  /** Makes a history of consecutive ledgers, oldest first. Throws a RangeError when there is none. */
  static of(ledgers: readonly ClosedLedger[], window: number): History {
    const [first, ...others] = ledgers
    if (!first) throw new RangeError('a history needs at least one ledger')
    const history = new History(first, window)
    for (const ledger of others) history.add(ledger)
    return history
  }

  /** Oldest first. */
  get ledgers(): readonly ClosedLedger[] {
    return [...this.#ledgers.values()]
  }

  get latest(): ClosedLedger {
    return this.#latest
  }

  get oldest(): ClosedLedger {
    return this.#oldest
  }

  ledger(sequence: number): ClosedLedger | undefined {
    return this.#ledgers.get(sequence)
  }

  /** The retained ledgers from `sequence` on, oldest first. */
  *from(sequence: number): Generator<ClosedLedger> {
    let next = Math.max(sequence, this.#oldest.sequence)
    while (next <= this.#latest.sequence) {
      const ledger = this.#ledgers.get(next)
      if (ledger) yield ledger
      next = ledger ? next + 1 : this.#landingAfter(next)
    }
  }

  /** By the hash of the envelope or of a fee bump's inner transaction. */
  transaction(hash: string): AppliedTransaction | undefined {
    return this.#transactions.get(hash)
  }

  add(ledger: ClosedLedger): void {
    if (ledger.sequence > this.#latest.sequence + 1) this.#landings.push(ledger.sequence)
    this.#latest = ledger
    this.#ledgers.set(ledger.sequence, ledger)
    for (const transaction of ledger.transactions) {
      this.#transactions.set(transaction.hash, transaction)
      if (transaction.innerHash) this.#transactions.set(transaction.innerHash, transaction)
    }
    while (this.#ledgers.size > this.#window) this.#dropOldest()
  }

  #landingAfter(missing: number): number {
    return this.#landings.find((landing) => landing > missing) ?? this.#latest.sequence
  }

  #dropOldest(): void {
    const oldest = this.#oldest
    this.#ledgers.delete(oldest.sequence)
    for (const { hash, innerHash } of oldest.transactions) {
      this.#transactions.delete(hash)
      if (innerHash) this.#transactions.delete(innerHash)
    }
    const [next = this.#latest] = this.#ledgers.values()
    this.#oldest = next
    while ((this.#landings[0] ?? Infinity) <= next.sequence) this.#landings.shift()
  }
}
