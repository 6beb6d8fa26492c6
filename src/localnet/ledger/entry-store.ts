/**
 * Ledger entries as bytes under their key's bytes. The Soroban host reads and writes XDR, and meta
 * and RPC show XDR, so bytes are the common form; classic rules decode the few entries they touch.
 * Entries are never changed in place: a change is a new record.
 */
import type { StoredEntry } from '../soroban/host.ts'
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

/** What changed under one key. */
export interface EntryChange {
  readonly key: EntryKey
  readonly before: EntryRecord | undefined
  readonly after: EntryRecord | undefined
  /** The ledger that brings an archived entry back to life; undefined for every other change. */
  readonly restoredIn: number | undefined
}

/**
 * Changes on top of a view. Dropping the ltx is the rollback; `commit` writes them into
 * what lies beneath. Overlays nest: ledger, transaction, operation.
 */
export class LedgerTxn implements LedgerReader {
  readonly #below: LedgerReader & { write: EntryStore['write'] }
  readonly #changed = new Map<EntryKey, EntryRecord | undefined>()
  readonly #restored = new Map<EntryKey, number>()

  constructor(below: LedgerReader & { write: EntryStore['write'] }) {
    this.#below = below
  }

  get(key: EntryKey): EntryRecord | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#below.get(key)
  }

  write(key: EntryKey, record: EntryRecord | undefined): void {
    this.#changed.set(key, record)
  }

  markRestored(key: EntryKey, ledger: number): void {
    this.#restored.set(key, ledger)
  }

  /** In the order in which the keys were first written; entries made and removed again are left out. */
  changes(): EntryChange[] {
    const changes: EntryChange[] = []
    for (const [key, after] of this.#changed) {
      const before = this.#below.get(key)
      if (before === undefined && after === undefined) continue
      changes.push({ key, before, after, restoredIn: this.#restored.get(key) })
    }
    return changes
  }

  commit(): void {
    for (const [key, record] of this.#changed) this.#below.write(key, record)
  }
}
