import { assertNever } from '../core/assert-never.ts'
import type { Stroops } from '../core/stroops.ts'
import type { RecordedEnvelope, SettlementKey } from '../store/settlements/settlement.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { notSettled, settled } from './answers.ts'
import type { Verdict } from './judge.ts'

/** A settlement whose envelope is in the store, and may be on its way. */
export interface Submitted {
  readonly key: SettlementKey
  readonly attempt: number
  readonly recorded: Omit<RecordedEnvelope, 'recordedAt'>
  /** Whether the network said to this process that it has the bytes in its queue. */
  readonly isTakenIn?: boolean
  /** When this process sent it first; absent when another one did. */
  readonly sentAtMs?: number
  /** Found in the store, left unfinished by another process or run. */
  readonly isTakenUp?: boolean
}

export type FinalVerdict = Extract<Verdict, { kind: 'succeeded' | 'failed' | 'expired' }>

/** How a settlement ends in the store. */
export interface Ending {
  readonly state: 'succeeded' | 'failed' | 'expired'
  readonly response: SettleResponse
  /** Whether the ledger consumed the channel's sequence number, or nobody knows. */
  readonly sequence: 'keep' | 'unknown'
  readonly ledger?: number
  readonly feeCharged?: Stroops
}

export const subject = ({ key: { network, payer } }: Submitted) => ({ network, payer })

/** @param transaction the hash to answer with */
export function endingOf(
  submitted: Submitted,
  verdict: FinalVerdict,
  transaction = submitted.recorded.txHash,
): Ending {
  switch (verdict.kind) {
    case 'succeeded': {
      const response = settled(subject(submitted), transaction)
      const { ledger, feeCharged } = verdict
      return { state: 'succeeded', response, sequence: 'keep', ledger, feeCharged }
    }
    case 'failed': {
      const { ledger, feeCharged, because } = verdict
      const code = 'settle_exact_stellar_transaction_failed'
      const message = `the transaction failed on ledger ${ledger}: ${because}`
      const response = notSettled(subject(submitted), { code, message, transaction })
      return { state: 'failed', response, sequence: 'keep', ledger, feeCharged }
    }
    case 'expired': {
      const code = 'settle_exact_stellar_transaction_expired'
      const message = verdict.because
      const response = notSettled(subject(submitted), { code, message, transaction })
      return { state: 'expired', response, sequence: 'unknown' }
    }
    default:
      return assertNever(verdict)
  }
}

/** The network would not take the envelope in, and nobody else has sent it. */
export function refusedEnding(submitted: Submitted, because: string): Ending {
  const code = 'settle_exact_stellar_transaction_submission_failed'
  const message = `the network refused the transaction: ${because}`
  const transaction = submitted.recorded.txHash
  const response = notSettled(subject(submitted), { code, message, transaction })
  return { state: 'failed', response, sequence: 'unknown' }
}
