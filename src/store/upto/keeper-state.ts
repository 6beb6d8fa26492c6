import type { NetworkId } from '../../core/caip2.ts'

/** What the keeper of a settlement contract last found and did, by whichever replica. */
export interface KeeperState {
  readonly network: NetworkId
  /** `C...` */
  readonly contract: string
  /** When the entries' TTL was last read. */
  readonly checkedAt: Date | undefined
  /** What it is about to do, in one sentence; absent when nothing has to be done. */
  readonly plan: string | undefined
  readonly lastAction: KeeperAction | undefined
  /** Why the last round failed; absent after one that did not. */
  readonly error: string | undefined
}

export interface KeeperAction {
  readonly action: 'extend' | 'restore'
  /** Hash, 64 hex digits. */
  readonly transaction: string
  readonly at: Date
}
