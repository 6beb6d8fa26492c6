import type { Channel } from '../../payments/store/channels/channel.ts'
import type { HourStats } from '../../payments/store/settlements/hour-stats.ts'
import type { KeeperState } from '../../payments/store/upto/keeper-state.ts'
import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { Route } from '../../platform/database/postgres/route.ts'
import type { TableSize } from '../../platform/database/postgres/table-sizes.ts'
import type { SchemaNewer } from '../../platform/database/schema-newer.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { ServeConfig } from '../../settings/serve.ts'
import type { SignerHealth } from '../../signing/signer-health.ts'
import type { AccountThresholds } from '../../stellar/accounts/account-entries.ts'
import type { ContractEntries } from '../../stellar/contracts/contract-entries.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import type { AccountState, LedgerRange, LedgerTip } from '../../stellar/rpc/rpc.ts'
import type { NetworkFacts } from './facts.ts'
import type { Fetched } from './fetched.ts'
import type { TriedAsset } from './trial-facts.ts'

/** The facts of the service, gathered once; all checks on them are pure. */
export interface ServiceFacts {
  readonly config: ServeConfig
  /** This machine's time, Unix ms. */
  readonly now: number
  readonly secretFiles: readonly SecretFile[]
  /** Absent with STORE=memory, which only the service itself has. */
  readonly store: Fetched<StoreFacts> | undefined
  /** Absent likewise. */
  readonly routes: StoreRoutes | undefined
  /** Absent likewise. */
  readonly tables: Fetched<readonly TableSize[]> | undefined
}

/** The facts of one network, with those of the service. */
export interface DoctorFacts extends NetworkFacts, ServiceFacts {
  readonly network: NetworkConfig
  readonly read: ReadFacts
}

/** The facts of a network that only `svc doctor` and `svc preflight` read; `NetworkFacts` is derived from it. */
export interface ReadFacts {
  /** The endpoints in the order in which they are configured. */
  readonly endpoints: readonly Endpoint[]
  /** The health of the sponsor's signer; absent where the seed is in the configuration. */
  readonly signer?: SignerHealth | undefined
  readonly ledger: Fetched<LedgerFacts>
  /** TTLs by contract id: the contracts of the assets, and those that the administrator lists. */
  readonly contracts: Fetched<ReadonlyMap<string, ContractTtl>>
  /** Absent with STORE=memory. */
  readonly stored: Fetched<StoredFacts> | undefined
  /** Absent where the scheme `upto` is not served. */
  readonly upto: Fetched<UptoLedgerFacts> | undefined
  /** Payments that were tried on the terms of the network. */
  readonly trial: Fetched<readonly TriedAsset[]>
  /** Fees that the sponsor's balance does not show yet; absent when the store could not be read. */
  readonly promisedFees: Stroops | undefined
}

export interface SecretFile {
  readonly variable: string
  readonly path: string
  /** Permission bits, as of chmod. */
  readonly mode: number
  /** Whether a reader of the file could act as the service; digests of keys are no secret. */
  readonly isSecret: boolean
}

/** Where the URLs of the database lead. */
export interface StoreRoutes {
  readonly url: Fetched<Route>
  /** Absent when it is not set. */
  readonly directUrl: Fetched<Route> | undefined
}

export interface StoreFacts {
  readonly version: string
  readonly latencyMs: number
  /** How far its clock is ahead of this machine's; negative when behind. */
  readonly clockAheadMs: number
  readonly missingMigrations: readonly string[]
  /** Set when the schema is newer than this version. */
  readonly newerSchema: Pick<SchemaNewer, 'says' | 'todo'> | undefined
  /** The timeout in force for statements outside of transactions; 0 is none. */
  readonly statementTimeoutMs: number
  /** The database role of the service. */
  readonly role: string
  /** True on a standby: the service cannot write its settlements there. */
  readonly isReadOnly: boolean
}

export interface Endpoint {
  /** Its host; paths and queries may contain keys, so they are left out. */
  readonly name: string
  readonly answer: Fetched<EndpointAnswer>
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
  /** The derived channels that exist, by address. */
  readonly channels: ReadonlyMap<string, AccountState>
  /** Addresses by index: as many as configured, or as the store has if it has more. */
  readonly derived: readonly string[]
}

/** The scheme `upto` on the ledger. */
export interface UptoLedgerFacts {
  /** The settlement authority, `G...`. */
  readonly authority: string
  /** Its account; undefined when the ledger has none. */
  readonly account: AccountState | undefined
  /** The authority of the previous sponsor, where one is configured and the ledger has no account of it. */
  readonly missingEarlier: readonly string[]
  /** The authority of the next sponsor, likewise. */
  readonly missingNext: string | undefined
  readonly entries: ContractEntries
}

export interface StoredFacts {
  /** All channels of the network, of every sponsor. */
  readonly channels: readonly Channel[]
  /** Claims whose owner died. */
  readonly lapsed: number
  /** `namespace/name` of the ChannelPool whose operator manages the sponsor's channels; absent without one. */
  readonly pool?: string | undefined
  /** Sponsors that a replica serves now, or whose channels an operator manages. */
  readonly inUse: ReadonlySet<string>
  readonly hour: HourStats
  /** Recorded, not finished, and not flagged unresolvable. */
  readonly submitted: readonly Submitted[]
  /** The keeper's state for the settlement contract; absent while no keeper has worked on it. */
  readonly keeper?: KeeperState | undefined
  /** This machine's time when it was read, Unix ms. */
  readonly readAt: number
}

interface Submitted {
  readonly txHash: string
  readonly recordedAtLedger: number
  /** Unix ms. */
  readonly recordedAt: number
}
