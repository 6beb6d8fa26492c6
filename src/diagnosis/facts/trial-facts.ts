/** The result of the trial of a network's terms: a payment in each accepted asset and each served scheme, simulated. */
import type { AcceptedAsset } from '../../payments/protocol/policy.ts'
import type { SchemeName } from '../../payments/protocol/schemes.ts'
import type { Stroops } from '../../platform/core/amounts/stroops.ts'

export interface TriedAsset {
  /** The value as configured. */
  readonly asset: AcceptedAsset
  /** Decimals that its contract states; undefined when it states none. */
  readonly decimals: number | undefined
  readonly isOnLedger: boolean
  readonly payments: readonly TriedPayment[]
}

export interface TriedPayment {
  readonly scheme: SchemeName
  readonly outcome: TrialOutcome
}

/** At the lowest bid, in stroops. */
interface TrialFees {
  /** No payment costs less. */
  readonly least: Stroops
  /** Of a payment between two accounts, the payer with one signature. */
  readonly likely: Stroops
}

export type TrialOutcome =
  | (TrialFees & { readonly kind: 'possible' })
  /** The likely fee is above the ceiling, the least one is not: some payers may pay. */
  | (TrialFees & { readonly kind: 'dear' })
  /** Even the least fee is above the ceiling: nobody can pay. */
  | (TrialFees & { readonly kind: 'tooDear' })
  /** Every payment of this asset breaks a rule of the scheme. */
  | { readonly kind: 'refused'; readonly why: string }
  /** No simulation ran through: no holder of the asset is known, or state is archived. */
  | { readonly kind: 'notTried'; readonly why: string }

/** The settings that decide whether any payment can be made. */
export interface TermsFacts {
  readonly assets: readonly AcceptedAsset[]
  readonly maxTxFeeStroops: Stroops
  readonly expirationMarginLedgers: number
  readonly timeoutMaxSeconds: number
  /** The value as stock clients estimate it. */
  readonly secondsPerLedger: number
}
