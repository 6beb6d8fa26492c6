import type { ExplorerScheme } from '../store/explorer/tables.ts'

/** An x402 payment as the ledger shows it: what classification makes of one transaction. */
export interface ObservedPayment {
  readonly scheme: ExplorerScheme
  readonly ledger: number
  /** Unix seconds. */
  readonly closedAt: number
  /** 64 hex digits; of the fee bump if there is one. */
  readonly txHash: string
  /** `G...` or `C...`, the address that signed. */
  readonly buyer: string
  /** `G...` or `C...`; a muxed recipient's id is in `muxedId`. */
  readonly seller: string
  /** What was paid, in base units: 0 to 39 digits. */
  readonly amount: bigint
  /** What was signed at most; of `upto` only. */
  readonly ceiling?: bigint
  /** `C...` */
  readonly asset: string
  /** The classic asset whose contract `asset` is, proven by derivation of the contract's address. Native: code `XLM`, no issuer. */
  readonly classic?: { readonly code: string; readonly issuer?: string }
  /** `G...`; of the inner transaction if there is a fee bump. */
  readonly txSource: string
  /** `G...`; of the fee bump, absent without one. */
  readonly feeSource?: string
  /** In stroops. */
  readonly feeCharged: bigint
  /** The last ledger in which the buyer's authorization was valid. */
  readonly sigExpirationLedger?: number
  /** Text of the transaction's memo: text as it is, ids as digits, hashes as hex. */
  readonly memo?: string
  readonly muxedId?: bigint
}

/** Why a transaction that looks at a transfer is no payment, or could not be read. Counted, never stored. */
const skipReasons = [
  'failed',
  'not_one_call',
  'other_function',
  'wrong_arguments',
  'not_authorized_by_sender',
  'sent_by_its_sender',
  'unwatched_asset',
  'no_matching_transfer',
  'several_transfers',
  'amount_out_of_range',
  'unreadable',
] as const
export type SkipReason = (typeof skipReasons)[number]
