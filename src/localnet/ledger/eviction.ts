/**
 * Expired entries: temporary ones are deleted (CAP-46-12), so that memory use stays constant; persistent
 * ones move to the hot archive (CAP-62). stellar-core's eviction scan takes many ledgers; here it happens
 * in the first ledger in which they are expired.
 */
import type { EntryKey, EntryRecord } from './entry-record.ts'

const CONTRACT_DATA_PREFIX = '\0\0\0\u0006'

/** A contract data key ends in its durability; temporary is 0. */
export const isTemporary = (key: EntryKey): boolean =>
  key.startsWith(CONTRACT_DATA_PREFIX) && key.endsWith('\0\0\0\0')

export class EvictionQueue {
  /** Keys by `liveUntil`; a set, because an entry is written many times with the same one. */
  readonly #due = new Map<number, Set<EntryKey>>()
  #evictedUpTo = 0

  add(key: EntryKey, { liveUntil }: EntryRecord): void {
    if (liveUntil === undefined) return
    const others = this.#due.get(liveUntil)
    if (others) others.add(key)
    else this.#due.set(liveUntil, new Set([key]))
  }

  /** Keys whose entries may have expired before `ledger`; each key once for each `liveUntil` it had. */
  takeBefore(ledger: number): EntryKey[] {
    const keys: EntryKey[] = []
    for (const last of this.#lastLedgersBefore(ledger)) {
      keys.push(...(this.#due.get(last) ?? []))
      this.#due.delete(last)
    }
    this.#evictedUpTo = ledger
    return keys
  }

  /** Ascending. Millions of ledgers may have passed at once, and then there are fewer keys to look through. */
  #lastLedgersBefore(ledger: number): readonly number[] {
    const passed = ledger - this.#evictedUpTo
    if (passed <= this.#due.size) {
      return Array.from({ length: passed }, (_, index) => this.#evictedUpTo + index)
    }
    const isPassed = (last: number) => last >= this.#evictedUpTo && last < ledger
    return [...this.#due.keys()].filter(isPassed).toSorted((a, b) => a - b)
  }
}
