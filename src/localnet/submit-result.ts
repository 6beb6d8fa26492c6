/** What becomes of a transaction that is sent: the answers of stellar-core's queue. */

import type { Refusal } from './transactions/check-valid.ts'
import { diagnosticEvent } from './transactions/diagnostics.ts'
import type { Envelope } from './transactions/envelope.ts'
import { encodeResult, type TransactionErrorCode } from './transactions/result.ts'
import type { Admission } from './transactions/transaction-queue.ts'

export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'

export interface SubmitResult {
  readonly status: SubmitStatus
  /** Hex. */
  readonly hash: string
  /** TransactionResult XDR; with `ERROR`. */
  readonly resultXdr?: Uint8Array
  /** DiagnosticEvent XDR; with `ERROR`, when there is something to say. */
  readonly diagnosticEvents?: readonly Uint8Array[]
}

/** What the queue says before validity is looked at. */
export function earlyAnswer(envelope: Envelope, admission: Admission): SubmitResult | undefined {
  switch (admission.kind) {
    case 'duplicate':
      return { status: 'DUPLICATE', hash: envelope.hash }
    case 'later':
      return { status: 'TRY_AGAIN_LATER', hash: envelope.hash }
    case 'refused':
      return refusedFor(envelope, admission.code, admission.fee)
    case 'free':
      return undefined
  }
}

export const refused = (
  envelope: Envelope,
  { verdict, fee, diagnostic }: Refusal,
): SubmitResult => ({
  status: 'ERROR',
  hash: envelope.hash,
  resultXdr: encodeResult(envelope, verdict, fee),
  ...(diagnostic && { diagnosticEvents: [diagnosticEvent(diagnostic)] }),
})

/** For problems of the envelope as a whole: a fee bump is at fault, not the transaction inside. */
export const refusedFor = (
  envelope: Envelope,
  code: TransactionErrorCode,
  fee: bigint,
): SubmitResult =>
  refused(envelope, {
    verdict: envelope.feeBump ? { at: 'feeBump', code } : { at: 'transaction', verdict: { code } },
    fee,
  })
