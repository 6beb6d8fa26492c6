/**
 * Entries past their last ledger: temporary ones are gone for good (CAP-46-12), so that memory stays
 * flat, persistent ones move to the hot archive (CAP-62). stellar-core gets round to it by and by;
 * here it happens with the first ledger that finds them dead.
 */
import type { EntryKey, EntryRecord } from './entry-store.ts'

const CONTRACT_DATA_PREFIX = '\0\0\0\u0006'

/** A contract data key ends in its durability, of which temporary is 0. */
export const isTemporary = (key: EntryKey): boolean =>
  key.startsWith(CONTRACT_DATA_PREFIX) && key.endsWith('\0\0\0\0')

export class EvictionQueue {
  /** Sets: an entry is written any number of times in one lifetime. */
  readonly #due = new Map<number, Set<EntryKey>>()
  #evictedUpTo = 0

  note(key: EntryKey, { liveUntil }: EntryRecord): void {
    if (liveUntil === undefined) return
    const others = this.#due.get(liveUntil)
    if (others) others.add(key)
    else this.#due.set(liveUntil, new Set([key]))
  }

  /** Keys whose entries may have expired before `ledger`; each is told once for each lifetime it had. */
  takeBefore(ledger: number): EntryKey[] {
    const keys: EntryKey[] = []
    for (let last = this.#evictedUpTo; last < ledger; last++) {
      keys.push(...(this.#due.get(last) ?? []))
      this.#due.delete(last)
    }
    this.#evictedUpTo = ledger
    return keys
  }
}
