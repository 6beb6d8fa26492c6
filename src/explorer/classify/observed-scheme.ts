import type { ContractEvent } from '../../stellar/history/scan/scan-event.ts'
import type { ScannedCall } from '../../stellar/history/scan/scan-operation.ts'
import type { SkipReason } from '../observed-payment.ts'
import type { PaymentTerms, TermsOrReason } from './payment-terms.ts'

/** Contracts that the administrator of the explorer trusts. */
export interface TrustedContracts {
  /** `C...`; contracts whose `settle` is an `upto` payment, as configured. */
  readonly uptoContracts: ReadonlySet<string>
}

/** How the explorer recognises the payments of a scheme. */
export interface ObservedScheme {
  /** The function that its payments call. */
  readonly functionName: string
  /** Whether a payment may call this contract. @default any */
  isTrusted?(contract: string, trusted: TrustedContracts): boolean
  readTerms(call: ScannedCall): TermsOrReason
  /** Whether the buyer has to sign the call itself. Otherwise the trusted contract decides how it is authorized. */
  readonly isCallSigned: boolean
  /** The contradiction between the contract's own events and the terms. */
  contradictionIn?(
    terms: PaymentTerms,
    contract: string,
    events: readonly ContractEvent[],
  ): SkipReason | undefined
}
