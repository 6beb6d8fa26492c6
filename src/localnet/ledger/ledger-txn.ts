import type { EntryKey, EntryRecord } from './entry-record.ts'
import type { EntryStore, LedgerReader } from './entry-store.ts'

export interface EntryChange {
  readonly key: EntryKey
  readonly before: EntryRecord | undefined
  readonly after: EntryRecord | undefined
  /** The ledger that restores an archived entry; undefined for all other changes. */
  readonly restoredIn: number | undefined
}

/**
 * Uncommitted changes on top of a parent (stellar-core's LedgerTxn). `commit` writes them to the parent;
 * dropping the object rolls back. They nest: ledger, transaction, operation.
 */
export class LedgerTxn implements LedgerReader {
  readonly #parent: LedgerReader & { write: EntryStore['write'] }
  readonly #changed = new Map<EntryKey, EntryRecord | undefined>()
  readonly #restored = new Map<EntryKey, number>()

  constructor(parent: LedgerReader & { write: EntryStore['write'] }) {
    this.#parent = parent
  }

  get(key: EntryKey): EntryRecord | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#parent.get(key)
  }

  write(key: EntryKey, record: EntryRecord | undefined): void {
    this.#changed.set(key, record)
  }

  markRestored(key: EntryKey, ledger: number): void {
    this.#restored.set(key, ledger)
  }

  /** In the order in which the keys were first written, without entries that were created and deleted again. */
  changes(): EntryChange[] {
    const changes: EntryChange[] = []
    for (const [key, after] of this.#changed) {
      const before = this.#parent.get(key)
      if (before === undefined && after === undefined) continue
      changes.push({ key, before, after, restoredIn: this.#restored.get(key) })
    }
    return changes
  }

  commit(): void {
    for (const [key, record] of this.#changed) this.#parent.write(key, record)
  }
}
