import type { AddressEntry } from '../stellar/auth-entry.ts'
import type { HostInvocation } from '../stellar/client-envelope.ts'
import type { AcceptedAsset } from './policy.ts'
import type { PaymentRequest } from './protocol.ts'

/** A payment in the `exact` scheme that passed every check which needs no ledger. */
export interface ExactPayment {
  readonly request: PaymentRequest
  /** `G...` or `C...`. */
  readonly payer: string
  /** As required: `G...`, `C...` or `M...`. */
  readonly payTo: string
  readonly asset: AcceptedAsset
  /** Base units. */
  readonly amount: bigint
  readonly maxTimeoutSeconds: number
  /** The one authorization entry of the payer; with its address, its nonce names the payment. */
  readonly authorization: AddressEntry
  /** The call and every authorization entry, to be sent as the payer signed them. */
  readonly invocation: HostInvocation
}
