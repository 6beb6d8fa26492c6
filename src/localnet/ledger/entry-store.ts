/**
 * Ledger entries as bytes under their key's bytes. The Soroban host reads and writes XDR, and meta
 * and RPC show XDR, so bytes are the common form; classic rules decode the few entries they touch.
 * Entries are never changed in place: a change is a new record.
 */
import type { StoredEntry } from '../soroban/instance.ts'
import { EvictionQueue, isTemporary } from './eviction.ts'

export interface EntryRecord extends StoredEntry {
  /** Ledger in which `liveUntil` last changed; the TTL entry's own last modified ledger. */
  readonly liveUntilSetAt?: number
  /** Out of the live state and in the hot archive (CAP-62): a restoration writes it anew. */
  readonly evicted?: true
}

/** A LedgerKey XDR as a string with one character a byte: cheap to make and to compare. */
export type EntryKey = string

export const entryKey = (keyXdr: Uint8Array): EntryKey =>
  Buffer.from(keyXdr.buffer, keyXdr.byteOffset, keyXdr.byteLength).toString('latin1')

export const keyXdr = (key: EntryKey): Uint8Array => Buffer.from(key, 'latin1')

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
    this.#evictions.note(key, record)
  }

  /** Every entry with its key; records are never changed in place, so a copy of the list is a snapshot. */
  entries(): (readonly [EntryKey, EntryRecord])[] {
    return [...this.#entries]
  }

  /** Forgets everything and holds these entries instead. */
  replaceAll(entries: Iterable<readonly [EntryKey, EntryRecord]>): void {
    this.#entries.clear()
    this.#evictions = new EvictionQueue()
    for (const [key, record] of entries) this.write(key, record)
  }

  /**
   * Takes what was dead in `ledger` out of the live state, and names it: temporary entries are gone,
   * persistent ones archived. An entry in its last live ledger still lives.
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
