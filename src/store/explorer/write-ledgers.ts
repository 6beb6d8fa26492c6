import type { NetworkId } from '../../core/caip2.ts'
import type { DbTransaction } from '../in-transaction.ts'
import type { Confidence, ExplorerScheme } from './tables.ts'

/** A payment with its attribution, as it is written. */
export interface PaymentRow {
  readonly scheme: ExplorerScheme
  readonly confidence: Confidence
  readonly facilitator: string | null
  readonly ledger: number
  /** Unix seconds. */
  readonly closedAt: number
  /** 64 hex digits. */
  readonly txHash: string
  readonly buyer: string
  readonly seller: string
  readonly amount: bigint
  readonly ceiling?: bigint
  readonly asset: string
  readonly classic?: { readonly code: string; readonly issuer?: string }
  readonly txSource: string
  readonly feeSource?: string
  readonly feeCharged: bigint
  readonly sigExpirationLedger?: number
  readonly memo?: string
  readonly muxedId?: bigint
}

/**
 * Writes the payments of whole ledgers of one epoch, and adds them to every figure. A payment that is already written
 * changes nothing, so that ledgers may be read again. Returns how many were new.
 */
export async function writeLedgers(
  _transaction: DbTransaction,
  _epoch: { readonly network: NetworkId; readonly id: number },
  _payments: readonly PaymentRow[],
): Promise<number> {
  throw new Error('not written yet')
}
