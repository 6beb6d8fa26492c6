import type { RawTransaction } from '../../stellar/transaction-pages.ts'
import type { ObservedPayment, SkipReason } from '../observed-payment.ts'

export interface ClassifyOptions {
  /** Of the network. */
  readonly passphrase: string
  /** `C...`; contracts whose `settle` is an `upto` payment, as configured. */
  readonly uptoContracts: ReadonlySet<string>
  /** `C...`; payments of other assets are skipped. */
  readonly watchedAssets: 'all' | ReadonlySet<string>
}

/** `no_call`: the transaction calls neither `transfer` nor `settle`, as most do. */
export type Classification =
  | { readonly payment: ObservedPayment }
  | { readonly skipped: SkipReason }
  | 'no_call'

/** Says whether a transaction is an x402 payment. Never throws: what cannot be read is skipped as `unreadable`. */
export function classifyTransaction(
  _transaction: RawTransaction,
  _options: ClassifyOptions,
): Classification {
  throw new Error('not written yet')
}
