import type { Stroops } from '../core/stroops.ts'
import type { TransactionStatus } from '../stellar/rpc.ts'
import type { FailedTransaction } from '../x402/ledger-failure.ts'

/** Bounds the ledgers in which a recorded transaction can be. */
export interface LandingWindow {
  /** Unix seconds after which no ledger includes the transaction. */
  readonly maxTime: number
  /** The latest ledger when it was recorded; it can only be in a later one. */
  readonly recordedAtLedger: number
}

export type LedgerOutcome =
  | { readonly kind: 'succeeded'; readonly ledger: number; readonly feeCharged: Stroops }
  | {
      readonly kind: 'failed'
      readonly ledger: number
      readonly feeCharged: Stroops
      readonly because: string
      /** Absent when an administrator found the outcome. */
      readonly applied?: FailedTransaction
    }
  | { readonly kind: 'expired'; readonly because: string }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'undecidable'; readonly because: string }

/**
 * Interprets the status of a recorded transaction. `expired` needs proof: the network's time is past
 * the max time, and the endpoint still retains every ledger in which the transaction could be. Without
 * the second half the outcome is undecidable. It is also undecidable after a network reset, since the
 * ledgers in question are of another history.
 */
export function ledgerOutcome(status: TransactionStatus, landing: LandingWindow): LedgerOutcome {
  switch (status.status) {
    case 'SUCCESS':
      return { kind: 'succeeded', ledger: status.ledger, feeCharged: status.feeCharged }
    case 'FAILED':
      return {
        kind: 'failed',
        ledger: status.ledger,
        feeCharged: status.feeCharged,
        because: [status.resultCode, status.operationCode].filter(Boolean).join(', '),
        applied: status,
      }
    case 'NOT_FOUND':
      return outcomeOfNotFound(status, landing)
  }
}

function outcomeOfNotFound(
  { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime }: TransactionStatus,
  { maxTime, recordedAtLedger }: LandingWindow,
): LedgerOutcome {
  if (latestCloseTime <= maxTime) return { kind: 'waiting' }
  if (
    latestLedger < recordedAtLedger ||
    (oldestLedger <= recordedAtLedger && oldestCloseTime > maxTime)
  ) {
    return {
      kind: 'undecidable',
      because: `the network was reset and is at ledger ${latestLedger}; the transaction was recorded at ${recordedAtLedger}`,
    }
  }
  if (oldestLedger > recordedAtLedger + 1) {
    return {
      kind: 'undecidable',
      because: `the network retains ledgers from ${oldestLedger} on; the transaction was recorded at ${recordedAtLedger}`,
    }
  }
  return {
    kind: 'expired',
    because: `no ledger included it before its max time ${maxTime}; the latest closed at ${latestCloseTime}`,
  }
}
