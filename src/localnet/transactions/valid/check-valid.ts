/** Validity of an envelope before it enters the queue (stellar-core's checkValid). */
import { xdr } from '@stellar/stellar-sdk'
import type { LedgerReader } from '../../ledger/entry-store.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { loadAccount } from '../../ledger/typed-entries.ts'
import type { EnvelopeOutcome, TransactionOutcome } from '../apply/result.ts'
import type { Envelope, Transaction } from '../envelope.ts'
import { feeBumpRateShortfall, inclusionFee, minFee, minInclusionFee } from '../fees/fees.ts'
import { initialResult, operationFrame } from '../operations/operation-frame.ts'
import type { Diagnostic } from '../soroban/diagnostics.ts'
import { commonValid, invalid, type ValidityProblem } from './common-valid.ts'
import { checkOperationSignature, sourceOf } from './operation-signatures.ts'
import {
  alwaysValidSignatures,
  type SignatureChecker,
  signatureChecker,
  signersOf,
} from './signature-checker.ts'

export interface ValidationContext {
  readonly reader: LedgerReader
  /** The earliest ledger that could include it. */
  readonly ledger: number
  /** Unix seconds; `minTime` must not be later. */
  readonly lowerBoundCloseTime: bigint
  /** Unix seconds; `maxTime` must not be earlier. */
  readonly upperBoundCloseTime: bigint
  readonly nonRefundableFee: (transaction: Transaction) => bigint
}

export interface InvalidEnvelope {
  readonly outcome: EnvelopeOutcome
  /** Stroops; `feeCharged` of the result. */
  readonly feeCharged: bigint
  readonly diagnostic?: Diagnostic
}

/** Undefined when the envelope is valid. Requires `xdrProvidesValidFee`. */
export function checkValid(
  envelope: Envelope,
  context: ValidationContext,
): InvalidEnvelope | undefined {
  if (envelope.feeBump) {
    const found = feeBumpProblem(envelope, context)
    if (found) {
      const outcome: EnvelopeOutcome = { at: 'feeBump', code: found.code }
      return { outcome, feeCharged: found.feeCharged ?? minFee(envelope) }
    }
  }
  const signatures = signaturesOf(envelope)
  const { inner, diagnostic } = checkInner(envelope, context, signatures)
  if (!inner) return undefined
  return {
    outcome: { at: 'transaction', inner },
    feeCharged: minFee(envelope),
    ...(diagnostic && { diagnostic }),
  }
}

export const signaturesOf = ({ trusted, transaction }: Envelope): SignatureChecker =>
  trusted ? alwaysValidSignatures : signatureChecker(transaction.hash, transaction.signatures)

interface FeeBumpProblem extends ValidityProblem {
  readonly feeCharged?: bigint
}

/** CAP-15: the outer fee, its payer and the payer's signatures. */
function feeBumpProblem(
  envelope: Envelope,
  { reader }: ValidationContext,
): FeeBumpProblem | undefined {
  const { feeBump, feeSource, fee, feeOperations } = envelope
  if (!feeBump) return undefined
  if (inclusionFee(envelope) < minInclusionFee(feeOperations)) return invalid('txInsufficientFee')
  const needed = feeBumpRateShortfall(envelope)
  if (needed !== undefined) return { ...invalid('txInsufficientFee'), feeCharged: needed }
  const payer = loadAccount(reader, feeSource)
  if (!payer) return invalid('txNoAccount')
  const signatures = signatureChecker(feeBump.hash, feeBump.signatures)
  if (!signatures.check(signersOf(payer), payer.thresholds[1])) return invalid('txBadAuth')
  if (availableBalance(payer) < fee) return invalid('txInsufficientBalance')
  return signatures.allUsed() ? undefined : invalid('txBadAuthExtra')
}

interface InnerCheck {
  readonly inner?: TransactionOutcome
  readonly diagnostic?: Diagnostic
}

function checkInner(
  { transaction, feeBump, fee }: Envelope,
  context: ValidationContext,
  signatures: SignatureChecker,
): InnerCheck {
  const { problem: found } = commonValid(
    {
      ...context,
      transaction,
      chargeFee: !feeBump,
      feeToPay: fee,
      nonRefundableFee: context.nonRefundableFee(transaction),
    },
    signatures,
  )
  if (found) {
    return {
      inner: { code: found.code },
      ...(found.diagnostic && { diagnostic: found.diagnostic }),
    }
  }
  const operations = checkOperations(transaction, context.reader, signatures)
  if (operations) return { inner: { code: 'txFailed', operations } }
  return signatures.allUsed() ? {} : { inner: { code: 'txBadAuthExtra' } }
}

/** The first failure in its place; all others keep their initial result, as in stellar-core. */
function checkOperations(
  transaction: Transaction,
  reader: LedgerReader,
  signatures: SignatureChecker,
): xdr.OperationResult[] | undefined {
  for (const [at, operation] of transaction.operations.entries()) {
    const frame = operationFrame(operation)
    const found = frame
      ? (checkOperationSignature(reader, signatures, {
          operation,
          transaction,
          threshold: frame.threshold,
        }) ?? frame.check({ source: sourceOf(operation, transaction), transaction }))
      : xdr.OperationResult.opNotSupported()
    if (!found) continue
    return transaction.operations.map((other, index) =>
      index === at ? found : initialResult(other),
    )
  }
  return undefined
}
