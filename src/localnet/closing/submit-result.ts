/** Answers to a submitted transaction: the statuses of stellar-core's transaction queue. */

import { encodeResult, type TransactionErrorCode } from '../transactions/apply/result.ts'
import type { Envelope } from '../transactions/envelope.ts'
import { diagnosticEvent } from '../transactions/soroban/diagnostics.ts'
import type { InvalidEnvelope } from '../transactions/valid/check-valid.ts'

export interface SubmitResult {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'
  /** Hex. */
  readonly hash: string
  /** TransactionResult XDR; with `ERROR`. */
  readonly resultXdr?: Uint8Array
  /** DiagnosticEvent XDR; with `ERROR`, where stellar-core adds one. */
  readonly diagnosticEvents?: readonly Uint8Array[]
}

export const errorResult = (
  envelope: Envelope,
  { outcome, feeCharged, diagnostic }: InvalidEnvelope,
): SubmitResult => ({
  status: 'ERROR',
  hash: envelope.hash,
  resultXdr: encodeResult(envelope, outcome, feeCharged),
  ...(diagnostic && { diagnosticEvents: [diagnosticEvent(diagnostic)] }),
})

/** For errors of the envelope as a whole: a fee bump's own, not those of its inner transaction. */
export const errorOfEnvelope = (
  envelope: Envelope,
  code: TransactionErrorCode,
  feeCharged: bigint,
): SubmitResult =>
  errorResult(envelope, {
    outcome: envelope.feeBump ? { at: 'feeBump', code } : { at: 'transaction', inner: { code } },
    feeCharged,
  })
