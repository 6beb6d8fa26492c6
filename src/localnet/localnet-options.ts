import type { Clock } from '../core/clock.ts'
import type { Lifetimes, NetworkLimits } from './network-limits.ts'
import type { NetworkSnapshot } from './snapshot/snapshot.ts'
import type { MetaVersion } from './transactions/meta.ts'

export interface LocalnetOptions {
  /** @default the passphrase of testnet */
  readonly passphrase?: string
  /** Stamps ledgers. @default the system clock */
  readonly clock?: Clock
  /** How many ledgers of history are kept. @default 17,280, a day of ledgers five seconds apart */
  readonly retainLedgers?: number
  /** Seconds expected between ledgers; a transaction must outlive two of them to be accepted. @default 5 */
  readonly expectedCloseSeconds?: number
  /** What a ledger may hold. @default testnet's limits */
  readonly limits?: NetworkLimits
  /** Operations of classic transactions that a ledger takes. @default 100, as on testnet; plenty without limits */
  readonly maxOperations?: number
  /** How long contract entries live at first. @default testnet's lifetimes */
  readonly lifetimes?: Lifetimes
  /** Version of the TransactionMeta that is written. @default 4 */
  readonly metaVersion?: MetaVersion
  /** Goes on from here instead of from a new genesis. */
  readonly snapshot?: NetworkSnapshot
  /** Receives lines about what broke inside the network or its Soroban host. */
  readonly log?: (line: string) => void
}
