/** Context of a Soroban operation besides the ledger: the host, the fee, and a place for its output. */
import type { xdr } from '@stellar/stellar-sdk'
import { entryKey } from '../../ledger/entry-record.ts'
import type { LedgerReader } from '../../ledger/entry-store.ts'
import type { SorobanHost } from '../../soroban/host.ts'
import type { StoredEntry } from '../../soroban/instance.ts'
import type { MetaVersion } from '../apply/meta.ts'
import type { RefundableFeeTracker } from '../fees/refundable-fee-tracker.ts'

export interface SorobanContext {
  readonly host: SorobanHost
  readonly hostLedger: HostLedgerReader
  readonly data: xdr.SorobanTransactionData
  /** Bytes of the transaction's envelope. */
  readonly size: number
  /** 32 bytes: the operation's PRNG seed. */
  readonly seed: Uint8Array
  readonly fee: RefundableFeeTracker
  readonly metaVersion: MetaVersion
  readonly output: SorobanOutput
}

export interface SorobanOutput {
  /** ScVal XDR. */
  returnValue?: Uint8Array
  /** ContractEvent XDR. */
  events: readonly Uint8Array[]
  /** DiagnosticEvent XDR. */
  diagnostics: Uint8Array[]
}

/**
 * The entries that the host reads during a call: those of the last closed ledger or, while a transaction
 * is applied, those of its LedgerTxn.
 */
export class HostLedgerReader {
  readonly #closed: LedgerReader
  #reader: LedgerReader

  constructor(closed: LedgerReader) {
    this.#closed = closed
    this.#reader = closed
  }

  readonly getEntry = (keyXdr: Uint8Array): StoredEntry | undefined =>
    this.#reader.get(entryKey(keyXdr))

  /** Runs one synchronous call of the host against `reader`. */
  within<T>(reader: LedgerReader, call: () => T): T {
    this.#reader = reader
    try {
      return call()
    } finally {
      this.#reader = this.#closed
    }
  }
}
