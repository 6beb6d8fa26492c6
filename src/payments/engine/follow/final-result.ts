import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import { assertNever } from '../../../platform/core/language/assert-never.ts'
import type { LedgerFailure, LedgerFailureCode } from '../../causes/ledger-failure.ts'
import type { SettleResponse } from '../../protocol/protocol.ts'
import { settleCodes } from '../../protocol/reasons.ts'
import type {
  Metering,
  RecordedEnvelope,
  SettlementFacts,
  SettlementKey,
} from '../../store/settlements/settlement.ts'
import { notSettled, settled } from '../answers/settle-answer.ts'
import type { LedgerOutcome } from './ledger-outcome.ts'

/** A settlement whose envelope is recorded in the store, and may have been sent. */
export interface SubmittedSettlement {
  readonly key: SettlementKey
  readonly attempt: number
  readonly facts: SettlementFacts
  readonly metering: Metering
  /** The fingerprint of the settlement's request. */
  readonly fingerprint: string
  /** The sponsor that pays for the settlement. */
  readonly sponsor: string
  readonly recorded: Omit<RecordedEnvelope, 'recordedAt'>
  /** The ledger bound in its envelope; absent when this process did not build that. */
  readonly maxLedger?: number
  /** Whether an endpoint has confirmed to this process that the envelope is in its queue. */
  readonly isQueued?: boolean
  /** The result with which an endpoint refused it. The endpoint may have passed it on all the same. */
  readonly refusedBecause?: string
  /** When this process first sent it; absent when another process did. */
  readonly sentAtMs?: number
  /** Why it was flagged as unresolvable, when it was read. */
  readonly unresolvableBecause?: string | undefined
  /** No other transaction made its payment up to this ledger; absent before the first search. */
  readonly searchedThrough?: number
  /** Whether the reconciler took it over from a process that died. */
  readonly isTakenOver?: boolean
}

/** An outcome that the ledger proves to be final. */
export type FinalLedgerOutcome = Extract<
  LedgerOutcome,
  { kind: 'succeeded' | 'failed' | 'expired' }
>

/** The final state of a settlement, as the store records it. */
export interface FinalResult {
  readonly state: 'succeeded' | 'failed' | 'expired'
  readonly response: SettleResponse
  /** `keep` only when the ledger has certainly consumed the channel's sequence number. */
  readonly sequence: 'keep' | 'unknown'
  readonly ledger?: number
  readonly feeCharged?: Stroops
  /** Why it failed on the ledger. */
  readonly failureCode?: LedgerFailureCode
}

export const subjectOfSettlement = ({ key: { network, payer } }: SubmittedSettlement) => ({
  network,
  payer,
})

/**
 * @param transaction the hash in the response
 * @param failure the cause, for a failed one
 */
export function finalResult(
  submitted: SubmittedSettlement,
  outcome: FinalLedgerOutcome,
  transaction = submitted.recorded.txHash,
  failure?: LedgerFailure,
): FinalResult {
  const subject = subjectOfSettlement(submitted)
  switch (outcome.kind) {
    case 'succeeded': {
      const { ledger, feeCharged } = outcome
      const response = settled({ ...subject, paid: submitted.facts }, transaction)
      return { state: 'succeeded', response, sequence: 'keep', ledger, feeCharged }
    }
    case 'failed': {
      const { ledger, feeCharged, because } = outcome
      const code = settleCodes.failed
      const why = [because, failure?.message].filter(Boolean).join(': ')
      const message = `the transaction failed on ledger ${ledger}: ${why}`
      const response = notSettled(subject, { code, message, transaction })
      const failureCode = failure && { failureCode: failure.code }
      return { state: 'failed', response, sequence: 'keep', ledger, feeCharged, ...failureCode }
    }
    case 'expired': {
      const code = settleCodes.expired
      const response = notSettled(subject, { code, message: outcome.because, transaction })
      return { state: 'expired', response, sequence: 'unknown' }
    }
    default:
      return assertNever(outcome)
  }
}

/** The answer while the ledger has not decided. */
export function unfinishedAnswer(submitted: SubmittedSettlement): SettleResponse {
  const subject = subjectOfSettlement(submitted)
  const transaction = submitted.recorded.txHash
  const { refusedBecause } = submitted
  if (refusedBecause === undefined) {
    return notSettled(subject, { code: 'settlement_pending', transaction })
  }
  const code = settleCodes.submissionFailed
  const message = `the network refused the transaction: ${refusedBecause}`
  return notSettled(subject, { code, message, transaction })
}
