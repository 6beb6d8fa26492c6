/** What validity is decided on. */
import type { LedgerReader } from '../ledger/entry-store.ts'
import type { Transaction } from './envelope.ts'

export interface ValidityInput {
  readonly view: LedgerReader
  /** The ledger the transaction would be applied in. */
  readonly ledger: number
  /** Unix seconds; what `minTime` must not be after. */
  readonly earliest: bigint
  /** Unix seconds; what `maxTime` must not be before. */
  readonly latest: bigint
  readonly transaction: Transaction
  /** Whether this transaction bids for itself; a fee bump bids for the one inside. */
  readonly paysItself: boolean
  /** What the source must be able to pay now: nothing once the fee is taken. */
  readonly feeToPay: bigint
  /** What the declared resources cost; for Soroban transactions. */
  readonly nonRefundableFee: bigint
}
