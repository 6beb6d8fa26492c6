import type { LedgerRange } from '../rpc.ts'
import type { PageStart } from './transaction-position.ts'

/** Reads all transactions of a network, a page at a time. `RpcPool` implements it. */
export interface TransactionPages {
  /**
   * One page of `getTransactions`, oldest first; an empty one when the start is after the latest ledger. Throws
   * `RpcError` when no endpoint answers, and of kind `not_retained` when the start is not retained any more.
   * Its requests have the lowest priority: they delay no payment.
   * @param limit at most 200
   */
  transactionsPage(start: PageStart, limit: number, signal?: AbortSignal): Promise<TransactionsPage>
}

export interface TransactionsPage extends LedgerRange {
  readonly transactions: readonly RawTransaction[]
  /** The page after this one begins here, also after an empty page. */
  readonly cursor: string
  /**
   * From the start up to this ledger, the transactions of every ledger are in this page, or in the pages before it
   * when it continues them. One less than the ledger of the start when not even that one is complete.
   */
  readonly completeThrough: number
}

/** A transaction as an endpoint listed it, undecoded: most are of no interest. */
export interface RawTransaction {
  readonly status: 'SUCCESS' | 'FAILED'
  /** 64 hex digits; of the fee bump if there is one. Of a page of `RpcPool` it is the hash of the envelope in `raw`. */
  readonly txHash: string
  readonly ledger: number
  /** Unix seconds. */
  readonly createdAt: number
  /** From 1 on, without gaps, in each ledger. */
  readonly applicationOrder: number
  /** The members of the answer, in base64 XDR or in JSON, of Stellar RPC before or since protocol 23. */
  readonly raw: Readonly<Record<string, unknown>>
}
