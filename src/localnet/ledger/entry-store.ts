/**
 * Ledger entries as bytes under their key's bytes. The Soroban host reads and writes XDR, and meta
 * and RPC show XDR, so bytes are the common form; classic rules decode the few entries they touch.
 * Entries are never changed in place: a change is a new record.
 */
import type { StoredEntry } from '../soroban/host.ts'
import { EvictionSchedule } from './evictable.ts'

export interface EntryRecord extends StoredEntry {
  /** Ledger in which `liveUntil` last changed; the TTL entry's own last modified ledger. */
  readonly liveUntilSetAt?: number
}

/** A LedgerKey XDR as a string with one character a byte: cheap to make and to compare. */
export type EntryKey = string

export const entryKey = (keyXdr: Uint8Array): EntryKey =>
  Buffer.from(keyXdr.buffer, keyXdr.byteOffset, keyXdr.byteLength).toString('latin1')

export const keyXdr = (key: EntryKey): Uint8Array => Buffer.from(key, 'latin1')

export interface LedgerView {
  get(key: EntryKey): EntryRecord | undefined
}

/** The entries of the last closed ledger. */
export class EntryStore implements LedgerView {
  readonly #entries = new Map<EntryKey, EntryRecord>()
  readonly #evictions = new EvictionSchedule()

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

  /** Removes temporary entries that no transaction of `ledger` or later can see. */
  evictExpired(ledger: number): void {
    for (const key of this.#evictions.takeBefore(ledger)) {
      const record = this.#entries.get(key)
      if (record?.liveUntil !== undefined && record.liveUntil < ledger) this.#entries.delete(key)
    }
  }
}

/** What changed under one key; `restored` says that an archived entry came back to life. */
export interface EntryChange {
  readonly key: EntryKey
  readonly before: EntryRecord | undefined
  readonly after: EntryRecord | undefined
  readonly restored: boolean
}

/**
 * Changes on top of a view. Dropping the overlay is the rollback; `commit` writes them into
 * what lies beneath. Overlays nest: ledger, transaction, operation.
 */
export class Overlay implements LedgerView {
  readonly #below: LedgerView & { write: EntryStore['write'] }
  readonly #changed = new Map<EntryKey, EntryRecord | undefined>()
  readonly #restored = new Set<EntryKey>()

  constructor(below: LedgerView & { write: EntryStore['write'] }) {
    this.#below = below
  }

  get(key: EntryKey): EntryRecord | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#below.get(key)
  }

  write(key: EntryKey, record: EntryRecord | undefined): void {
    this.#changed.set(key, record)
  }

  markRestored(key: EntryKey): void {
    this.#restored.add(key)
  }

  /** In the order in which the keys were first written; entries made and removed again are left out. */
  changes(): EntryChange[] {
    const changes: EntryChange[] = []
    for (const [key, after] of this.#changed) {
      const before = this.#below.get(key)
      if (before === undefined && after === undefined) continue
      changes.push({ key, before, after, restored: this.#restored.has(key) })
    }
    return changes
  }

  commit(): void {
    for (const [key, record] of this.#changed) this.#below.write(key, record)
  }
}
