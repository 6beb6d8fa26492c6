/** What a Soroban operation works with besides the ledger: the host, its fee, and where output goes. */
import type { xdr } from '@stellar/stellar-sdk'
import type { EntryKey, LedgerView, Overlay } from '../ledger/entry-store.ts'
import { entryKey } from '../ledger/entry-store.ts'
import { isTemporary } from '../ledger/eviction.ts'
import { stamped } from '../ledger/last-modified.ts'
import type { SorobanHost, StoredEntry } from '../soroban/host.ts'
import type { FootprintChange } from '../soroban/invoke.ts'
import type { RefundableFee } from './refundable-fee-tracker.ts'

export interface SorobanRun {
  readonly host: SorobanHost
  readonly ledgerOfHost: HostLedger
  readonly data: xdr.SorobanTransactionData
  /** Bytes of the transaction's envelope. */
  readonly size: number
  /** 32 bytes, of this operation alone. */
  readonly seed: Uint8Array
  readonly fee: RefundableFee
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
export class HostLedger {
  readonly #closed: LedgerView
  #view: LedgerView

  constructor(closed: LedgerView) {
    this.#closed = closed
    this.#view = closed
  }

  readonly getEntry = (keyXdr: Uint8Array): StoredEntry | undefined =>
    this.#view.get(entryKey(keyXdr))

  /** Runs one synchronous call of the host against `view`. */
  within<T>(view: LedgerView, call: () => T): T {
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
  overlay: Overlay,
  changes: readonly FootprintChange[],
  ledger: number,
): void {
  for (const change of changes) {
    const key = entryKey(change.key)
    if (change.readOnly) extendLifetime(overlay, { key, liveUntil: change.newLiveUntil, ledger })
    else writeChange(overlay, { key, change, ledger })
  }
}

interface Lifetime {
  readonly key: EntryKey
  readonly liveUntil: number
  readonly ledger: number
}

/** Sets the last ledger in which an entry lives; lifetimes never shrink. */
export function extendLifetime(overlay: Overlay, { key, liveUntil, ledger }: Lifetime): void {
  const record = overlay.get(key)
  if (record?.liveUntil === undefined || record.liveUntil >= liveUntil) return
  if (record.liveUntil < ledger) overlay.markRestored(key, ledger)
  // What comes out of the hot archive is written anew; else only the lifetime changes (CAP-62).
  const entry = record.evicted ? stamped(record.entry, ledger) : record.entry
  overlay.write(key, { entry, liveUntil, liveUntilSetAt: ledger })
}

function writeChange(
  overlay: Overlay,
  { key, change, ledger }: { key: EntryKey; change: FootprintChange; ledger: number },
): void {
  const before = overlay.get(key)
  if (!change.value) {
    if (before) overlay.write(key, undefined)
    return
  }
  const entry = stamped(change.value, ledger)
  if (change.newLiveUntil === 0) {
    overlay.write(key, { entry })
    return
  }
  const expired = before?.liveUntil !== undefined && before.liveUntil < ledger
  if (expired && !isTemporary(key)) overlay.markRestored(key, ledger)
  const unchanged = before?.liveUntil === change.newLiveUntil
  overlay.write(key, {
    entry,
    liveUntil: change.newLiveUntil,
    liveUntilSetAt: unchanged ? (before.liveUntilSetAt ?? ledger) : ledger,
  })
}
