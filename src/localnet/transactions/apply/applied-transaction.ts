/** An applied transaction as the history keeps it. */
import type { AppliedTransaction } from '../../closing/history.ts'
import type { Envelope } from '../envelope.ts'
import { FIRST_CLUSTER, type TxCluster } from '../set/tx-set.ts'
import { xdrList } from '../xdr-bytes.ts'
import type { Applied } from './apply-run.ts'
import { encodeMeta, type MetaParts, type MetaVersion } from './meta.ts'
import { type EnvelopeOutcome, encodeResult, isSuccess } from './result.ts'

export interface Finished {
  readonly envelope: Envelope
  readonly applied: Applied
  /** Stroops. */
  readonly inclusionFee: bigint
  /** Stroops, after the refund. */
  readonly feeCharged: bigint
  readonly feeChanges: readonly Uint8Array[]
  readonly refundChanges: readonly Uint8Array[]
  readonly cluster: TxCluster
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

const metaOf = ({ applied, refundChanges, events }: Finished): MetaParts => {
  const { before, operations, fee, returnValue, diagnostics } = applied
  return {
    before,
    operations,
    refundChanges,
    soroban: fee && { fee, ...(returnValue && { returnValue }) },
    events,
    diagnostics,
  }
}

export function toAppliedTransaction(
  finished: Finished,
  place: LedgerPosition,
): AppliedTransaction {
  const { envelope, applied, feeCharged, refundChanges, cluster } = finished
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
    resultMetaXdr: encodeMeta(metaOf(finished), place.metaVersion),
    feeChangesXdr: xdrList(finished.feeChanges),
    refundChangesXdr: xdrList(refundChanges),
    ...(cluster !== FIRST_CLUSTER && { cluster }),
    contractEvents: hasEvents ? applied.operations.map((operation) => operation.events) : [],
    transactionEvents: place.metaVersion === 4 ? finished.events : [],
    diagnosticEvents: applied.diagnostics,
  }
}
