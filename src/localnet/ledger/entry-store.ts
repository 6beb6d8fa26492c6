/**
 * Ledger entries as XDR by the XDR of their keys. The Soroban host, meta and RPC all use XDR, so bytes are
 * the common form; classic operations decode the few entries that they touch. Records are immutable: a
 * change is a new record.
 */
import type { EntryKey, EntryRecord } from './entry-record.ts'
import { EvictionQueue, isTemporary } from './eviction.ts'

export interface LedgerReader {
  get(key: EntryKey): EntryRecord | undefined
}

/** The entries of the last closed ledger. */
export class EntryStore implements LedgerReader {
  readonly #entries = new Map<EntryKey, EntryRecord>()
  #evictions = new EvictionQueue()

  get(key: EntryKey): EntryRecord | undefined {
    return this.#entries.get(key)
  }

  write(key: EntryKey, record: EntryRecord | undefined): void {
    if (!record) {
      this.#entries.delete(key)
      return
    }
    this.#entries.set(key, record)
    this.#evictions.add(key, record)
  }

  /** All entries with their keys. Records are immutable, so this copy is a snapshot. */
  entries(): (readonly [EntryKey, EntryRecord])[] {
    return [...this.#entries]
  }

  /** Replaces the whole content. */
  replaceAll(entries: Iterable<readonly [EntryKey, EntryRecord]>): void {
    this.#entries.clear()
    this.#evictions = new EvictionQueue()
    for (const [key, record] of entries) this.write(key, record)
  }

  /**
   * Evicts the entries that had expired in `ledger` and returns their keys: deletes temporary entries, and
   * moves persistent ones to the archive. An entry is live through its `liveUntil` ledger.
   */
  evictExpired(ledger: number): EntryKey[] {
    const evicted: EntryKey[] = []
    for (const key of this.#evictions.takeBefore(ledger)) {
      const record = this.#entries.get(key)
      if (record?.liveUntil === undefined || record.liveUntil >= ledger || record.evicted) continue
      if (isTemporary(key)) this.#entries.delete(key)
      else this.#entries.set(key, { ...record, evicted: true })
      evicted.push(key)
    }
    return evicted
  }
}

/** A copy of a LedgerEntry XDR, which begins with `lastModifiedLedgerSeq`, with that set. */
export function withLastModified(entry: Uint8Array, ledger: number): Uint8Array {
  const copy = new Uint8Array(entry)
  new DataView(copy.buffer).setUint32(0, ledger)
  return copy
}
