import type { NetworkConfig } from '../config/network-settings.ts'
import type { ServeConfig } from '../config/serve.ts'
import type { AccountThresholds } from '../stellar/account-entries.ts'
import type { AccountState, LedgerRange, LedgerTip } from '../stellar/rpc.ts'
import type { Channel } from '../store/channels/channel.ts'
import type { HourStats } from '../store/settlements/hour-stats.ts'
import type { Reading } from './reading.ts'

/** What is gathered once; everything that judges it is pure. */
export interface ServiceFacts {
  readonly config: ServeConfig
  readonly secretFiles: readonly SecretFile[]
  /** Absent with STORE=memory, which only the service itself has. */
  readonly store: Reading<StoreFacts> | undefined
}

/** What is gathered for each network, beside the service's. */
export interface NetworkFacts extends ServiceFacts {
  readonly network: NetworkConfig
  readonly sponsor: string
  /** In the order in which they are configured. */
  readonly endpoints: readonly Endpoint[]
  readonly ledger: Reading<LedgerFacts>
  readonly contracts: Reading<readonly ContractFacts[]>
  readonly stored: Reading<StoredFacts> | undefined
}

export interface SecretFile {
  readonly variable: string
  readonly path: string
  /** Permission bits, as of chmod. */
  readonly mode: number
  /** Whether who reads it could act for us; a digest of a key is nothing to hide. */
  readonly isSecret: boolean
}

export interface StoreFacts {
  readonly version: string
  readonly latencyMs: number
  /** How far its clock is ahead of this machine's; negative when behind. */
  readonly clockAheadMs: number
  readonly missingMigrations: readonly string[]
}

export interface Endpoint {
  /** Its host: paths and queries may be keys. */
  readonly name: string
  readonly answer: Reading<EndpointAnswer>
}

export interface EndpointAnswer {
  readonly passphrase: string
  readonly tip: LedgerTip
  readonly retained: LedgerRange
  readonly latencyMs: number
  /** This machine's time when the tip came, Unix ms. */
  readonly answeredAt: number
}

export interface LedgerFacts {
  readonly sponsor: AccountState | undefined
  readonly signing: AccountThresholds | undefined
  /** Of those that were derived: the ones that exist, by address. */
  readonly channels: ReadonlyMap<string, AccountState>
  /** By index; as many as are configured, or as the store knows when those are more. */
  readonly derived: readonly string[]
}

export interface ContractFacts {
  readonly contract: string
  readonly name: string
  /** Ledgers until it is archived; negative once it is; undefined when there is no such contract. */
  readonly ttlLedgers: number | undefined
}

export interface StoredFacts {
  /** Of the network, of every sponsor. */
  readonly channels: readonly Channel[]
  readonly lapsed: number
  readonly hour: HourStats
  /** Those recorded and not ended, and not given up either. */
  readonly submitted: readonly Submitted[]
  /** This machine's time when it was read, Unix ms. */
  readonly readAt: number
}

export interface Submitted {
  readonly txHash: string
  readonly recordedAtLedger: number
  /** Unix ms. */
  readonly recordedAt: number
}
