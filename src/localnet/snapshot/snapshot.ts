/** A whole network as its last closed ledger left it: everything but what still waits for a ledger. */
import type { ClosedLedger } from '../history.ts'
import type { EntryKey, EntryRecord } from '../ledger/entry-store.ts'
import type { LastClosedLedger } from '../ledger/header.ts'
import type { NetworkLimits } from '../network-limits.ts'

export interface NetworkSnapshot {
  readonly passphrase: string
  /** Of the host that made it; only a host of the same protocol goes on from here. */
  readonly protocol: number
  readonly limits: NetworkLimits
  readonly state: LastClosedLedger
  readonly entries: readonly (readonly [EntryKey, EntryRecord])[]
  /** The retained ledgers, oldest first. */
  readonly ledgers: readonly ClosedLedger[]
}

/** A snapshot that another kind of network made. */
export class SnapshotMismatch extends Error {
  override readonly name = 'SnapshotMismatch'
}

/** What must be the same on both sides. */
const identity = ['passphrase', 'protocol', 'limits'] as const
type Identity = Pick<NetworkSnapshot, (typeof identity)[number]>

/** Throws SnapshotMismatch, with a sentence that names the first difference. */
export function requireSameNetwork(theirs: Identity, ours: Identity): void {
  for (const name of identity) {
    if (theirs[name] === ours[name]) continue
    throw new SnapshotMismatch(
      `that ledger has ${name} ${theirs[name]}, this network ${ours[name]}`,
    )
  }
}
