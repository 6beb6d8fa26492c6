/** What a Soroban operation works with besides the ledger: the host, its fee, and where output goes. */
import type { xdr } from '@stellar/stellar-sdk'
import type { EntryKey, LedgerReader, LedgerTxn } from '../ledger/entry-store.ts'
import { entryKey } from '../ledger/entry-store.ts'
import { isTemporary } from '../ledger/eviction.ts'
import { withLastModified } from '../ledger/last-modified.ts'
import type { SorobanHost, StoredEntry } from '../soroban/host.ts'
import type { FootprintChange } from '../soroban/invoke.ts'
import type { RefundableFeeTracker } from './refundable-fee-tracker.ts'

export interface SorobanContext {
  readonly host: SorobanHost
  readonly hostLedger: HostLedgerReader
  readonly data: xdr.SorobanTransactionData
  /** Bytes of the transaction's envelope. */
  readonly size: number
  /** 32 bytes, of this operation alone. */
  readonly seed: Uint8Array
  readonly fee: RefundableFeeTracker
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
 * The host asks for entries in the middle of a call: from the last closed ledger, or while a
 * transaction is applied from that transaction's view.
 */
export class HostLedgerReader {
  readonly #closed: LedgerReader
  #view: LedgerReader

  constructor(closed: LedgerReader) {
    this.#closed = closed
    this.#view = closed
  }

  readonly getEntry = (keyXdr: Uint8Array): StoredEntry | undefined =>
    this.#view.get(entryKey(keyXdr))

  /** Runs one synchronous call of the host against `view`. */
  within<T>(view: LedgerReader, call: () => T): T {
    this.#view = view
    try {
      return call()
    } finally {
      this.#view = this.#closed
    }
  }
}

export function restoredIndexes({ ext }: xdr.SorobanTransactionData): readonly number[] {
  return ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries : []
}

/** Writes what an invocation changed. Only read-only entries may be shared, and only their lifetime grows. */
export function writeFootprint(
  ltx: LedgerTxn,
  changes: readonly FootprintChange[],
  ledger: number,
): void {
  for (const change of changes) {
    const key = entryKey(change.key)
    if (change.readOnly) extendTtl(ltx, { key, liveUntil: change.newLiveUntil, ledger })
    else writeChange(ltx, { key, change, ledger })
  }
}

interface Lifetime {
  readonly key: EntryKey
  readonly liveUntil: number
  readonly ledger: number
}

/** Sets the last ledger in which an entry lives; lifetimes never shrink. */
export function extendTtl(ltx: LedgerTxn, { key, liveUntil, ledger }: Lifetime): void {
  const record = ltx.get(key)
  if (record?.liveUntil === undefined || record.liveUntil >= liveUntil) return
  if (record.liveUntil < ledger) ltx.markRestored(key, ledger)
  // What comes out of the hot archive is written anew; else only the lifetime changes (CAP-62).
  const entry = record.evicted ? withLastModified(record.entry, ledger) : record.entry
  ltx.write(key, { entry, liveUntil, liveUntilSetAt: ledger })
}

function writeChange(
  ltx: LedgerTxn,
  { key, change, ledger }: { key: EntryKey; change: FootprintChange; ledger: number },
): void {
  const before = ltx.get(key)
  if (!change.value) {
    if (before) ltx.write(key, undefined)
    return
  }
  const entry = withLastModified(change.value, ledger)
  if (change.newLiveUntil === 0) {
    ltx.write(key, { entry })
    return
  }
  const expired = before?.liveUntil !== undefined && before.liveUntil < ledger
  if (expired && !isTemporary(key)) ltx.markRestored(key, ledger)
  const unchanged = before?.liveUntil === change.newLiveUntil
  ltx.write(key, {
    entry,
    liveUntil: change.newLiveUntil,
    liveUntilSetAt: unchanged ? (before.liveUntilSetAt ?? ledger) : ledger,
  })
}
