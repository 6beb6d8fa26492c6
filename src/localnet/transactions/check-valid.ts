/** Everything that is decided about an envelope before it may wait for a ledger (stellar-core's checkValid). */
import { xdr } from '@stellar/stellar-sdk'
import type { LedgerReader } from '../ledger/entry-store.ts'
import { availableBalance } from '../ledger/reserves.ts'
import { loadAccount } from '../ledger/typed-entries.ts'
import { commonValid } from './common-valid.ts'
import { type Diagnostic, type Problem, problem } from './diagnostics.ts'
import type { Envelope, Transaction } from './envelope.ts'
import { feeBumpRateShortfall, inclusionFee, minFee, minInclusionFee } from './fees.ts'
import { checkOperationSignature, sourceOf } from './operation-signatures.ts'
import { operationFrame } from './operations/operation-frame.ts'
import type { EnvelopeOutcome, TransactionOutcome } from './result.ts'
import {
  alwaysValidSignatures,
  type SignatureChecker,
  signatureChecker,
  signersOf,
} from './signature-checker.ts'
import { initialResult } from './untouched-result.ts'

export interface ValidationContext {
  readonly view: LedgerReader
  /** The ledger that could take it. */
  readonly ledger: number
  /** Unix seconds. */
  readonly earliest: bigint
  /** Unix seconds. */
  readonly latest: bigint
  readonly nonRefundableFee: (transaction: Transaction) => bigint
}

export interface Refusal {
  readonly verdict: EnvelopeOutcome
  /** Stroops its result names. */
  readonly fee: bigint
  readonly diagnostic?: Diagnostic
}

/** Of an envelope whose fees are sound; undefined when it is valid. */
export function checkValid(envelope: Envelope, context: ValidationContext): Refusal | undefined {
  const fee = minFee(envelope)
  if (envelope.feeBump) {
    const found = feeBumpProblem(envelope, context)
    if (found) return { verdict: outer(envelope, found), fee: found.fee ?? fee }
  }
  const signatures = signaturesOf(envelope)
  const { verdict, diagnostic } = checkInner(envelope, context, signatures)
  if (!verdict) return undefined
  return { verdict: { at: 'transaction', verdict }, fee, ...(diagnostic && { diagnostic }) }
}

export const signaturesOf = ({ trusted, transaction }: Envelope): SignatureChecker =>
  trusted ? alwaysValidSignatures : signatureChecker(transaction.hash, transaction.signatures)

const outer = ({ feeBump }: Envelope, { code }: Problem): EnvelopeOutcome =>
  feeBump ? { at: 'feeBump', code } : { at: 'transaction', verdict: { code } }

interface FeeBumpProblem extends Problem {
  readonly fee?: bigint
}

/** CAP-15: the outer fee, its payer and the payer's signatures, before the transaction inside. */
function feeBumpProblem(
  envelope: Envelope,
  { view }: ValidationContext,
): FeeBumpProblem | undefined {
  const { feeBump, feeSource, fee, feeOperations } = envelope
  if (!feeBump) return undefined
  if (inclusionFee(envelope) < minInclusionFee(feeOperations)) return problem('txInsufficientFee')
  const needed = feeBumpRateShortfall(envelope)
  if (needed !== undefined) return { ...problem('txInsufficientFee'), fee: needed }
  const payer = loadAccount(view, feeSource)
  if (!payer) return problem('txNoAccount')
  const signatures = signatureChecker(feeBump.hash, feeBump.signatures)
  if (!signatures.check(signersOf(payer), payer.thresholds[1])) return problem('txBadAuth')
  if (availableBalance(payer) < fee) return problem('txInsufficientBalance')
  return signatures.allUsed() ? undefined : problem('txBadAuthExtra')
}

interface InnerCheck {
  readonly verdict?: TransactionOutcome
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
      paysItself: !feeBump,
      feeToPay: fee,
      nonRefundableFee: context.nonRefundableFee(transaction),
    },
    signatures,
  )
  if (found) {
    return {
      verdict: { code: found.code },
      ...(found.diagnostic && { diagnostic: found.diagnostic }),
    }
  }
  const operations = checkOperations(transaction, context.view, signatures)
  if (operations) return { verdict: { code: 'txFailed', operations } }
  return signatures.allUsed() ? {} : { verdict: { code: 'txBadAuthExtra' } }
}

/** Results with the first problem in its place; the rest read as successes, as stellar-core leaves them. */
function checkOperations(
  transaction: Transaction,
  view: LedgerReader,
  signatures: SignatureChecker,
): xdr.OperationResult[] | undefined {
  for (const [at, operation] of transaction.operations.entries()) {
    const bound = operationFrame(operation)
    const found = bound
      ? (checkOperationSignature(view, signatures, {
          operation,
          transaction,
          threshold: bound.threshold,
        }) ?? bound.check({ source: sourceOf(operation, transaction), transaction }))
      : xdr.OperationResult.opNotSupported()
    if (!found) continue
    return transaction.operations.map((other, index) =>
      index === at ? found : initialResult(other),
    )
  }
  return undefined
}
