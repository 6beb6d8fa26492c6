import type { xdr } from '@stellar/stellar-sdk'
import { type EntryKey, entryKey } from '../../ledger/entry-record.ts'
import { withLastModified } from '../../ledger/entry-store.ts'
import { isTemporary } from '../../ledger/eviction.ts'
import type { LedgerTxn } from '../../ledger/ledger-txn.ts'
import type { FootprintChange } from '../../soroban/invoke.ts'

/** Indices into the read-write footprint of entries to restore before the call (CAP-66). */
export function restoredIndexes({ ext }: xdr.SorobanTransactionData): readonly number[] {
  return ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries : []
}

/** Writes the changes of an invocation. Of read-only entries only the TTL can change. */
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

interface TtlExtension {
  readonly key: EntryKey
  readonly liveUntil: number
  readonly ledger: number
}

/** Sets `liveUntil` of an entry, unless it is lower than before. */
export function extendTtl(ltx: LedgerTxn, { key, liveUntil, ledger }: TtlExtension): void {
  const record = ltx.get(key)
  if (record?.liveUntil === undefined || record.liveUntil >= liveUntil) return
  if (record.liveUntil < ledger) ltx.markRestored(key, ledger)
  // An entry restored from the hot archive is written again; otherwise only its TTL changes (CAP-62).
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
