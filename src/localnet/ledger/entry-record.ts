import type { StoredEntry } from '../soroban/instance.ts'

export interface EntryRecord extends StoredEntry {
  /** `lastModifiedLedgerSeq` of the TTL entry. */
  readonly liveUntilSetAt?: number
  /** In the hot archive (CAP-62), so that a restoration writes the entry again. */
  readonly evicted?: true
}

/** LedgerKey XDR as a string with one character per byte: cheap to create and to compare. */
export type EntryKey = string

export const entryKey = (keyXdr: Uint8Array): EntryKey =>
  Buffer.from(keyXdr.buffer, keyXdr.byteOffset, keyXdr.byteLength).toString('latin1')

export const keyXdr = (key: EntryKey): Uint8Array => Buffer.from(key, 'latin1')
