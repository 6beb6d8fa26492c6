/**
 * Applies one transaction whose fee is charged already (stellar-core's TransactionFrame::apply). The
 * sequence number is used up even if the transaction fails; the operations apply all or none.
 */
import type { xdr } from '@stellar/stellar-sdk'
import { LedgerTxn } from '../../ledger/ledger-txn.ts'
import { loadAccount, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import type { LedgerContext } from '../../soroban/ledger-context.ts'
import type { Envelope, Transaction } from '../envelope.ts'
import { RefundableFeeTracker } from '../fees/refundable-fee-tracker.ts'
import { initialResult, operationFrame } from '../operations/operation-frame.ts'
import { signaturesOf } from '../valid/check-valid.ts'
import { commonValid } from '../valid/common-valid.ts'
import { checkOperationSignature } from '../valid/operation-signatures.ts'
import { removePreAuthSigner, removePreAuthSigners } from '../valid/pre-auth-signers.ts'
import type { SignatureChecker } from '../valid/signature-checker.ts'
import { applyOperations } from './apply-operations.ts'
import type { Applied, LedgerApply, Run } from './apply-run.ts'
import { encodeChanges } from './meta.ts'
import type { TransactionOutcome } from './result.ts'

/** `index` is the transaction's place in apply order, from 0. */
export function applyTransaction(
  parent: LedgerTxn,
  envelope: Envelope,
  { apply, index }: { readonly apply: LedgerApply; readonly index: number },
): Applied {
  const { transaction } = envelope
  const fee = transaction.soroban
    ? new RefundableFeeTracker(transaction.soroban.resourceFee, apply.nonRefundableFee(transaction))
    : undefined
  const run = { envelope, apply, fee, index }
  const before = [...removePreAuthSignerOfFeeBump(parent, run)]
  const ltx = new LedgerTxn(parent)
  const signatures = signaturesOf(envelope)
  const error = preApply(ltx, run, signatures)
  before.push(...encodeChanges(ltx.changes()))
  ltx.commit()
  const applied = error
    ? { outcome: error, operations: [], returnValue: undefined, diagnostics: [] }
    : applyOperations(parent, run)
  if (applied.outcome.code !== 'txSuccess') fee?.reset()
  return { fee, before, ...applied }
}

/** Writes a fee bump's fee source, which puts it into the meta even when no signer is removed. */
function removePreAuthSignerOfFeeBump(parent: LedgerTxn, { envelope, apply }: Run): Uint8Array[] {
  const { feeBump, feeSource } = envelope
  if (!feeBump) return []
  const ltx = new LedgerTxn(parent)
  const account = loadAccount(ltx, feeSource)
  if (!account) return []
  removePreAuthSigner(ltx, account, { hash: feeBump.hash, ledger: apply.ledger.sequence })
  storeAccount(ltx, account, apply.ledger.sequence)
  const changes = encodeChanges(ltx.changes())
  ltx.commit()
  return changes
}

/** Checks validity again, uses up the sequence number and checks the operations' signatures. */
function preApply(
  ltx: LedgerTxn,
  { envelope, apply }: Run,
  signatures: SignatureChecker,
): TransactionOutcome | undefined {
  const { transaction, feeBump } = envelope
  const { ledger } = apply
  const closeTime = BigInt(ledger.closeTime)
  const { type, problem } = commonValid(
    {
      reader: ltx,
      ledger: ledger.sequence,
      lowerBoundCloseTime: closeTime,
      upperBoundCloseTime: closeTime,
      transaction,
      chargeFee: !feeBump,
      feeToPay: 0n,
      nonRefundableFee: apply.nonRefundableFee(transaction),
    },
    signatures,
  )
  if (type !== 'invalid') processSeqNum(ltx, transaction, ledger)
  const badAuth = problem ? undefined : checkOperationSignatures(ltx, transaction, signatures)
  removePreAuthSigners(ltx, transaction, ledger)
  if (problem) return { code: problem.code }
  if (badAuth) return { code: 'txFailed', operations: badAuth }
  return signatures.allUsed() ? undefined : { code: 'txBadAuthExtra' }
}

function processSeqNum(ltx: LedgerTxn, { source, sequence }: Transaction, ledger: LedgerContext) {
  const account = requireAccount(ltx, source)
  account.sequence = sequence
  account.sequenceLedger = ledger.sequence
  account.sequenceTime = BigInt(ledger.closeTime)
  storeAccount(ltx, account, ledger.sequence)
}

function checkOperationSignatures(
  ltx: LedgerTxn,
  transaction: Transaction,
  signatures: SignatureChecker,
): xdr.OperationResult[] | undefined {
  let failed = false
  const results = transaction.operations.map((operation) => {
    const threshold = operationFrame(operation)?.threshold ?? 'medium'
    const found = checkOperationSignature(ltx, signatures, { operation, transaction, threshold })
    failed ||= found !== undefined
    return found ?? initialResult(operation)
  })
  return failed ? results : undefined
}
