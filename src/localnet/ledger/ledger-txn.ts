import type { EntryKey, EntryRecord, EntryStore, LedgerReader } from './entry-store.ts'

/** What changed under one key. */
export interface EntryChange {
  readonly key: EntryKey
  readonly before: EntryRecord | undefined
  readonly after: EntryRecord | undefined
  /** The ledger that brings an archived entry back to life; undefined for every other change. */
  readonly restoredIn: number | undefined
}

/**
 * Changes on top of a reader. Dropping the ltx is the rollback; `commit` writes them into
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
