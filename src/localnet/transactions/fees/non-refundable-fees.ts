/** Fees for declared resources: needed three times per transaction, computed once. */

import type { SorobanHost } from '../../soroban/host.ts'
import type { LedgerContext } from '../../soroban/ledger-context.ts'
import type { Transaction } from '../envelope.ts'
import { restoredIndexes } from '../soroban/footprint.ts'

export class NonRefundableFees {
  readonly #host: SorobanHost
  readonly #known = new WeakMap<Transaction, bigint>()

  constructor(host: SorobanHost) {
    this.#host = host
  }

  /** Stroops; 0 for classic transactions. */
  of(transaction: Transaction, ledger: LedgerContext): bigint {
    const { soroban, size, operations } = transaction
    if (!soroban) return 0n
    const known = this.#known.get(transaction)
    if (known !== undefined) return known
    const { nonRefundable } = this.#host.resourceFee({
      ledger,
      resources: soroban.resources.toXdr(),
      restored: restoredIndexes(soroban),
      isRestoration: operations[0]?.body.type === 'restoreFootprint',
      transactionSize: size,
    })
    this.#known.set(transaction, nonRefundable)
    return nonRefundable
  }
}
