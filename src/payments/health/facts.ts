import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import type { Funds } from '../channels/minimum-balance.ts'
import type { HourStats } from '../store/settlements/hour-stats.ts'
import type { UptoFacts } from './upto/upto-facts.ts'

/** Everything known about one network at one moment: the input of snapshots and warnings. */
export interface NetworkFacts {
  readonly id: NetworkId
  readonly rpc: {
    /** Polls in a row that no endpoint answered. */
    readonly misses: number
    /** The latest ledger observed. */
    readonly ledger?: { readonly sequence: number; readonly ageSeconds: number } | undefined
    /** Of this process. */
    readonly transportErrors1h: number
  }
  readonly sponsor: {
    readonly address: string
    readonly floor: Stroops
    readonly balance: SponsorBalance
  }
  readonly channels: {
    /** On the ledger. */
    readonly total: number
    /** Of this process. */
    readonly leaseWaitP95Ms: number | undefined
  }
  readonly store: {
    /** Polls in a row in which the settlements could not be read. */
    readonly misses: number
    /** As last read. */
    readonly hourStats: HourStats | undefined
  }
  readonly contracts: readonly ContractFacts[]
  /** Absent where the scheme `upto` is not served. */
  readonly upto?: UptoFacts | undefined
}

export type SponsorBalance =
  | ({ readonly kind: 'known' } & Funds)
  /** The account is not on the ledger. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown'; readonly forMs: number }

export interface ContractFacts {
  readonly alias: string
  readonly id: string
  /** Polls in a row that failed to read it. */
  readonly misses: number
  /** As last read. */
  readonly ttl: ContractTtl | undefined
}
