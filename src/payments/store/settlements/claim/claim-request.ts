import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import type { Metering, Settlement, SettlementFacts, SettlementKey } from '../settlement.ts'
import type { BoundIdentifier } from './identifiers.ts'
import type { LeasedChannel } from './leased-channel.ts'

export interface ClaimRequest {
  readonly key: SettlementKey
  /** SHA-256 of the request, hex. */
  readonly fingerprint: string
  readonly facts: SettlementFacts
  /** Bound to its payload by the claim; absent: the buyer gave none. */
  readonly identifier?: BoundIdentifier | undefined
  /** The last ledger in which the authorization is valid. */
  readonly expirationLedger: number
  /** The account whose channels serve this claim. */
  readonly sponsor: string
  /** The claiming process; no two processes share one. */
  readonly owner: string
  readonly claimTtlMs: number
  readonly leaseTtlMs: number
  readonly budget: FeeBudget
  readonly metering: Metering
  /** Refuse the claim when the payer's unfinished settlements of this asset would exceed `funds`. */
  readonly limitToFunds: boolean
  /** Leases no channel: claims that wait for one come first. @default false */
  readonly waitsInLine?: boolean
  /**
   * Leases only channels with a lower index. @default all
   * Claims that share a statement may differ in it: that of the first counts.
   */
  readonly channelsBelow?: number | undefined
  /** The payer's balance of the asset, in its base units; absent: not read. */
  readonly funds?: bigint | undefined
}

interface FeeBudget {
  /** The most this settlement can cost. */
  readonly fee: Stroops
  /** The most the sponsor's settlements of an hour may cost together; no limit when absent. */
  readonly hourly?: Stroops | undefined
  /** The most that those of the caller may cost of it; no limit when absent. */
  readonly keyShare?: Stroops | undefined
}

export type ClaimOutcome =
  | {
      readonly kind: 'claimed'
      readonly attempt: number
      /** Absent while every channel is in use: call `leaseChannels` for one. */
      readonly channel: LeasedChannel | undefined
    }
  | { readonly kind: 'existing'; readonly settlement: Settlement }
  /** The fee does not fit in the hourly budget; nothing was written. */
  | { readonly kind: 'over_budget' }
  /** The fee does not fit in the caller's share of the hourly budget; nothing was written. */
  | { readonly kind: 'over_key_share' }
  /**
   * `limitToFunds` without `funds`, and the payer has other unfinished settlements of this asset: read the
   * balance and claim again. Nothing was written.
   */
  | { readonly kind: 'funds_unknown' }
  /** The payer's other unfinished settlements of this asset and this one exceed `funds`; nothing was written. */
  | { readonly kind: 'over_funds' }
  /** Another payload has the id; nothing was written. */
  | { readonly kind: 'identifier_taken' }

/** Why a claim was refused; nothing was written. */
export type ClaimRefusal = Exclude<ClaimOutcome['kind'], 'claimed' | 'existing'>
