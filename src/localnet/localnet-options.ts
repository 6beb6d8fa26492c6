import type { Clock } from '../platform/core/time/clock.ts'
import type { EntryTtls, NetworkLimits } from './genesis/network-limits.ts'
import type { NetworkSnapshot } from './snapshot/snapshot.ts'
import type { MetaVersion } from './transactions/apply/meta.ts'

export interface LocalnetOptions {
  /** @default the passphrase of testnet */
  readonly passphrase?: string
  /** Gives ledgers their close times. @default the system clock */
  readonly clock?: Clock
  /** How many ledgers of history are kept. @default 17,280, a day of ledgers five seconds apart */
  readonly retainLedgers?: number
  /** Seconds between ledgers; a transaction that expires within two of them is refused. @default 5 */
  readonly expectedCloseSeconds?: number
  /**
   * Least seconds from one close time to the next, whatever the clock says; with 0 ledgers that close within a
   * second have the same one. @default 1, as in stellar-core
   */
  readonly minCloseTimeStep?: number
  /** Limits of a ledger. @default testnet's */
  readonly limits?: NetworkLimits
  /** Soroban transactions of one ledger; a fee bump counts as two. @default that of `limits` */
  readonly ledgerMaxTxCount?: number
  /** Operations of classic transactions in one ledger. @default 200, as on testnet; 1,000,000 without limits */
  readonly maxOperations?: number
  /** Minimum TTL of new contract entries. @default testnet's */
  readonly entryTtls?: EntryTtls
  /** Version of TransactionMeta. @default 4 */
  readonly metaVersion?: MetaVersion
  /** Seed of a random order of each operation's changes in meta. @default the order of the writes */
  readonly shuffleChanges?: number
  /** Whether the first ledger has the settlement contract of the scheme `upto`. @default true */
  readonly upto?: boolean
  /** The network continues from here instead of from a new genesis. */
  readonly snapshot?: NetworkSnapshot
  /** Receives a line for each internal error of the network or its Soroban host. */
  readonly log?: (line: string) => void
}
