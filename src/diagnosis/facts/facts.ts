import { type Funds, fundsOf } from '../../payments/channels/minimum-balance.ts'
import type { HourStats } from '../../payments/store/settlements/hour-stats.ts'
import type { KeeperState } from '../../payments/store/upto/keeper-state.ts'
import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { SignerHealth } from '../../signing/signer-health.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import type { AccountState } from '../../stellar/rpc/rpc.ts'
import type { TermsFacts, TriedAsset } from './trial-facts.ts'

/** The facts of a network at one moment, for every surface: a service polls it, and `svc doctor` reads it once. */
export interface NetworkFacts {
  readonly id: NetworkId
  readonly rpc: {
    /** Reads in a row that no endpoint answered; at least 1 while no ledger was ever read. */
    readonly misses: number
    /** Why each endpoint did not answer, with its name, where each was asked by itself. */
    readonly silent?: readonly string[] | undefined
    /** The newest ledger, and its age by the clock of this machine, which may be behind. */
    readonly ledger?: { readonly sequence: number; readonly ageMs: number } | undefined
    /** Whether endpoints have contradicted each other for minutes about the latest ledger; absent where no pool of them runs. */
    readonly isDisputed?: boolean | undefined
  }
  /** The health of the sponsor's signer; absent where the seed is in the process. */
  readonly signer?: SignerHealth | undefined
  readonly sponsor: {
    readonly address: string
    readonly floor: Stroops
    readonly balance: SponsorBalance
  }
  readonly channels: {
    /** The number of the sponsor's channels on the ledger. */
    readonly total: number
    /** The creator of the channels; undefined while that is not known. */
    readonly creator?: ChannelCreator | undefined
  }
  /** Statistics of the settlements in the store. */
  readonly hour: LastRead<HourStats>
  readonly contracts: readonly ContractFacts[]
  /** Absent, with the trial of them, where only what every payment needs was read. */
  readonly terms?: TermsFacts | undefined
  readonly trial?: LastRead<readonly TriedAsset[]> | undefined
  /** Absent where the scheme `upto` is not served. */
  readonly upto?: UptoFacts | undefined
}

/** A ChannelPool by its name, the service when it starts, or a person. */
export type ChannelCreator = { readonly pool: string } | 'service' | 'administrator'

export interface LastRead<T> {
  /** Undefined before the first read. */
  readonly value: T | undefined
  /** Reads in a row that have failed since. */
  readonly misses: number
}

/** The value, unless the last read failed. */
export const currentOf = <T>({ value, misses }: LastRead<T>): T | undefined =>
  misses === 0 ? value : undefined

export type SponsorBalance =
  | ({ readonly kind: 'known' } & Funds)
  /** The account is not on the ledger. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown'; readonly forMs: number }

/** The balance of an account that was read: `missing` when the ledger has no such account. */
export const balanceOf = (
  account: AccountState | undefined,
  promised?: bigint,
): Exclude<SponsorBalance, { kind: 'unknown' }> =>
  account ? { kind: 'known', ...fundsOf(account, promised) } : { kind: 'missing' }

export interface ContractFacts {
  readonly alias: string
  readonly id: string
  readonly misses: number
  /** The last TTL that was read. */
  readonly ttl: ContractTtl | undefined
}

/** The scheme `upto` on one network. */
export interface UptoFacts {
  readonly contract: string
  /** The last TTL that was read. */
  readonly ttl: ContractTtl | undefined
  readonly authority: AuthorityFacts
  /** Authorities of earlier sponsors that the ledger does not have, as last read. */
  readonly missingEarlier: readonly string[]
  readonly keeper: {
    readonly enabled: boolean
    readonly autoRestore: boolean
    /** The keeper's state in the store; its value is also undefined while no keeper has worked on the contract. */
    readonly state: LastRead<KeeperState>
  }
}

interface AuthorityFacts {
  readonly address: string
  readonly account: LastRead<ReturnType<typeof balanceOf>>
  /** Accepted tokens with a positive balance. */
  readonly tokens: LastRead<readonly HeldToken[]>
}

export interface HeldToken {
  readonly symbol: string
  readonly contract: string
  /** Base units. */
  readonly balance: bigint
}

/** The facts of the catalog, for every surface. */
export interface CatalogFacts {
  /** Polls in a row in which it could not be read. */
  readonly misses: number
  /** The last state that was read. */
  readonly stats: CatalogState | undefined
  /** For how long the store has known no process that searches; 0 while it knows one. */
  readonly unsearchedMs: number
}

interface CatalogState {
  /** The last builds of the search index, newest first. */
  readonly builds: readonly {
    readonly result: 'ok' | 'degraded' | 'failed'
    /** The revision of the catalog that the index holds; null without an index. */
    readonly revision: number | null
  }[]
  /** Age of the oldest change that the index lacks. */
  readonly behindSeconds: number
}
