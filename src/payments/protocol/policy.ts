import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'

/** A token that payments are accepted in. Amounts are in its base units. */
export interface AcceptedAsset {
  /** Strkey of its contract, `C...`. */
  readonly contract: string
  readonly symbol: string
  readonly decimals: number
  /** Smallest and largest amount of one payment; unbounded where absent. */
  readonly min?: bigint
  readonly max?: bigint
}

/** The settlement contract of the scheme `upto`, and who settles through it. */
export interface UptoPolicy {
  /** `C...` */
  readonly contract: string
  /**
   * Settlement authorities, `G...`: first the sponsor's own, which `/supported` names, then those of the sponsor before and of
   * the next one: payments that name them may be under way.
   */
  readonly authorities: readonly [string, ...string[]]
}

/** The configuration of each scheme on one network. */
export interface SchemePolicies {
  /** Absent where the scheme `upto` is not served. */
  readonly upto?: UptoPolicy | undefined
}

/** The configured limits for payments on one network. */
export interface PaymentPolicy extends SchemePolicies {
  readonly network: NetworkId
  readonly passphrase: string
  /** The accepted assets by contract strkey. */
  readonly assets: ReadonlyMap<string, AcceptedAsset>
  /**
   * Whether a `G...` address is the sponsor's, a channel's or a settlement authority's: every one that a sponsor of the
   * store ever had, draining and retired channels included.
   */
  isOwnAccount(address: string): boolean
  /** Ceiling on everything one settlement may cost: inclusion bids and resource fee together. */
  readonly maxTxFeeStroops: Stroops
  /** Ledgers by which an authorization must outlive the latest ledger. */
  readonly expirationMarginLedgers: number
  /** Bounds on `maxTimeoutSeconds`, both allowed. */
  readonly timeoutMinSeconds: number
  readonly timeoutMaxSeconds: number
}
