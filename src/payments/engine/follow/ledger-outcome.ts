import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { TransactionStatus } from '../../../stellar/rpc/rpc.ts'
import type { FailedTransaction } from '../../causes/ledger-failure.ts'

/** The longest time for which a settlement's transaction is valid, in seconds. */
export const MAX_VALIDITY_SECONDS = 60

/** Bounds the ledgers in which a recorded transaction can be. */
export interface LandingWindow {
  /** Unix seconds after which no ledger includes the transaction. */
  readonly maxTime: number
  /** The first ledger that cannot include it; absent when its envelope has no ledger bounds. */
  readonly maxLedger?: number | undefined
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
 * Interprets the status of a recorded transaction. `expired` needs proof: the network's time is past the max
 * time, or the last ledger before the max ledger has closed; and the endpoint still retains every ledger in
 * which the transaction could be. Past the max time, without the second half, the outcome is undecidable. It is
 * also undecidable after a network reset, since the ledgers in question are of another history.
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

/** Whether no ledger after `latest` can include the transaction. */
export const isPast = (
  { maxTime, maxLedger }: LandingWindow,
  latest: { readonly sequence: number; readonly closeTime: number },
): boolean =>
  latest.closeTime > maxTime || (maxLedger !== undefined && latest.sequence >= maxLedger - 1)

function outcomeOfNotFound(status: TransactionStatus, landing: LandingWindow): LedgerOutcome {
  const { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime } = status
  const { maxTime, maxLedger, recordedAtLedger } = landing
  if (latestCloseTime <= maxTime) {
    if (!isPast(landing, { sequence: latestLedger, closeTime: latestCloseTime })) {
      return { kind: 'waiting' }
    }
    // After a reset the ledgers count from 1 again, so their numbers alone prove nothing: the oldest one has to be
    // from before the transaction was signed. Otherwise the max time decides.
    const isSameHistory = oldestCloseTime <= maxTime - MAX_VALIDITY_SECONDS
    if (!isSameHistory || oldestLedger > recordedAtLedger + 1) return { kind: 'waiting' }
    return {
      kind: 'expired',
      because: `no ledger before its max ledger ${maxLedger} included it; the latest is ${latestLedger}`,
    }
  }
  if (
    latestLedger < recordedAtLedger ||
    (oldestLedger <= recordedAtLedger + 1 && oldestCloseTime > maxTime)
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
