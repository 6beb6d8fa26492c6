/** An applied transaction as the history keeps it. */
import type { AppliedTransaction } from '../history.ts'
import { metaOf } from './apply.ts'
import type { Applied } from './apply-run.ts'
import type { Envelope } from './envelope.ts'
import { encodeMeta, type MetaVersion } from './meta.ts'
import { type EnvelopeOutcome, encodeResult, isSuccess } from './result.ts'

export interface Finished {
  readonly envelope: Envelope
  readonly applied: Applied
  /** Stroops. */
  readonly inclusionFee: bigint
  /** Stroops, after the refund. */
  readonly feeCharged: bigint
  /** TransactionEvent XDR. */
  readonly events: readonly Uint8Array[]
}

interface LedgerPosition {
  readonly metaVersion: MetaVersion
  readonly sequence: number
  readonly closeTime: number
  /** From 0. */
  readonly index: number
}

export function toAppliedTransaction(
  finished: Finished,
  place: LedgerPosition,
): AppliedTransaction {
  const { envelope, applied, feeCharged, events } = finished
  const { feeBump, transaction } = envelope
  // Version 3 has no events of classic operations.
  const hasEvents = place.metaVersion === 4 || transaction.soroban !== undefined
  const outcome: EnvelopeOutcome = { at: 'transaction', inner: applied.outcome }
  return {
    hash: envelope.hash,
    ...(feeBump && { innerHash: Buffer.from(transaction.hash).toString('hex') }),
    feeBump: feeBump !== undefined,
    ledger: place.sequence,
    closeTime: place.closeTime,
    applicationOrder: place.index + 1,
    successful: isSuccess(outcome),
    envelopeXdr: envelope.envelopeXdr,
    resultXdr: encodeResult(envelope, outcome, feeCharged),
    resultMetaXdr: encodeMeta(metaOf(applied, events), place.metaVersion),
    contractEvents: hasEvents ? applied.operations.map((operation) => operation.events) : [],
    transactionEvents: place.metaVersion === 4 ? events : [],
    diagnosticEvents: applied.diagnostics,
  }
}
