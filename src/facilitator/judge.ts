import type { Stroops } from '../core/stroops.ts'
import type { TransactionStatus } from '../stellar/rpc.ts'

/** What is known of an envelope that was recorded and may have been sent. */
export interface Submission {
  /** Unix seconds after which no ledger takes the transaction. */
  readonly maxTime: number
  /** The newest ledger when it was recorded; it can only be in a later one. */
  readonly recordedAtLedger: number
}

export type Verdict =
  | { readonly kind: 'succeeded'; readonly ledger: number; readonly feeCharged: Stroops }
  | {
      readonly kind: 'failed'
      readonly ledger: number
      readonly feeCharged: Stroops
      readonly because: string
    }
  | { readonly kind: 'expired'; readonly because: string }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'undecidable'; readonly because: string }

/**
 * Decides what the ledger's answer means. `expired` needs proof: the network's time is past the
 * max time, and the endpoint still holds every ledger in which the transaction could have landed.
 * Without the second half nobody can say whether the payment was made; nor when the network began
 * anew, as test networks do: then the ledgers in question are of another history.
 */
export function judge(status: TransactionStatus, submission: Submission): Verdict {
  switch (status.status) {
    case 'SUCCESS':
      return { kind: 'succeeded', ledger: status.ledger, feeCharged: status.feeCharged }
    case 'FAILED':
      return {
        kind: 'failed',
        ledger: status.ledger,
        feeCharged: status.feeCharged,
        because: [status.resultCode, status.operationCode].filter(Boolean).join(', '),
      }
    case 'NOT_FOUND':
      return judgeAbsence(status, submission)
  }
}

function judgeAbsence(
  { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime }: TransactionStatus,
  { maxTime, recordedAtLedger }: Submission,
): Verdict {
  if (latestCloseTime <= maxTime) return { kind: 'waiting' }
  if (
    latestLedger < recordedAtLedger ||
    (oldestLedger <= recordedAtLedger && oldestCloseTime > maxTime)
  ) {
    return {
      kind: 'undecidable',
      because: `the network began anew and is at ledger ${latestLedger}; the transaction was recorded at ${recordedAtLedger}`,
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
    because: `no ledger took it before its max time ${maxTime}; the newest closed at ${latestCloseTime}`,
  }
}
