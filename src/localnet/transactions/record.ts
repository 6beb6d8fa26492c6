/** A finished transaction as history keeps it. */
import type { AppliedTransaction } from '../history.ts'
import { type Applied, metaOf } from './apply.ts'
import type { Envelope } from './envelope.ts'
import { encodeMeta } from './meta.ts'
import { encodeResult, isSuccess, type Verdict } from './verdict.ts'

export interface Finished {
  readonly envelope: Envelope
  readonly applied: Applied
  /** Stroops, of the fee that was for being included. */
  readonly inclusionFee: bigint
  /** Stroops, after the refund. */
  readonly feeCharged: bigint
  /** TransactionEvent XDR. */
  readonly events: readonly Uint8Array[]
}

interface Place {
  readonly sequence: number
  readonly closeTime: number
  /** From 0. */
  readonly index: number
}

export function recordOf(finished: Finished, place: Place): AppliedTransaction {
  const { envelope, applied, feeCharged, events } = finished
  const { feeBump, transaction } = envelope
  const verdict: Verdict = { at: 'transaction', verdict: applied.verdict }
  return {
    hash: envelope.hash,
    ...(feeBump && { innerHash: Buffer.from(transaction.hash).toString('hex') }),
    feeBump: feeBump !== undefined,
    ledger: place.sequence,
    closeTime: place.closeTime,
    applicationOrder: place.index + 1,
    successful: isSuccess(verdict),
    envelopeXdr: envelope.envelopeXdr,
    resultXdr: encodeResult(envelope, verdict, feeCharged),
    resultMetaXdr: encodeMeta(metaOf(applied, events)),
    contractEvents: applied.operations.map((operation) => operation.events),
    transactionEvents: events,
    diagnosticEvents: applied.diagnostics,
  }
}
