/** A whole network after its last closed ledger, without pending transactions. */
import type { ClosedLedger } from '../closing/history.ts'
import type { NetworkLimits } from '../genesis/network-limits.ts'
import type { EntryKey, EntryRecord } from '../ledger/entry-record.ts'
import type { LastClosedLedger } from '../ledger/header.ts'

export interface NetworkSnapshot {
  readonly passphrase: string
  /** Protocol of the host; only a host of the same protocol can continue. */
  readonly protocol: number
  readonly limits: NetworkLimits
  readonly state: LastClosedLedger
  readonly entries: readonly (readonly [EntryKey, EntryRecord])[]
  /** The retained ledgers, oldest first. */
  readonly ledgers: readonly ClosedLedger[]
}

/** The snapshot has another passphrase, protocol or limits. */
export class SnapshotMismatch extends Error {
  override readonly name = 'SnapshotMismatch'
}

const identity = ['passphrase', 'protocol', 'limits'] as const
type Identity = Pick<NetworkSnapshot, (typeof identity)[number]>

/** Throws SnapshotMismatch, which names the first difference. */
export function requireSameNetwork(theirs: Identity, ours: Identity): void {
  for (const name of identity) {
    if (theirs[name] === ours[name]) continue
    throw new SnapshotMismatch(`its ${name}: ${theirs[name]}; of this network: ${ours[name]}`)
  }
}
