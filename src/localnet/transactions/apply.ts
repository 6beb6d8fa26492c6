/**
 * Applies one transaction whose fee is already taken: the sequence number first, whatever comes of
 * the rest; then the operations, all or none of them (stellar-core's TransactionFrame::apply).
 */
import type { xdr } from '@stellar/stellar-sdk'
import type { AccountId } from '../ledger/account-id.ts'
import { LedgerTxn } from '../ledger/entry-store.ts'
import { loadAccount, requireAccount, storeAccount } from '../ledger/typed-entries.ts'
import type { SorobanHost } from '../soroban/host.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'
import { applyOperations } from './apply-operations.ts'
import { signaturesOf } from './check-valid.ts'
import { commonValid } from './common-valid.ts'
import type { Envelope, Transaction } from './envelope.ts'
import type { EventFactory } from './events.ts'
import { encodeChanges, type MetaParts, type OperationMeta } from './meta.ts'
import { checkOperationSignature, sourceOf } from './operation-signatures.ts'
import { operationFrame } from './operations/operation-frame.ts'
import { removePreAuthSigner } from './pre-auth-signers.ts'
import { RefundableFeeTracker } from './refundable-fee-tracker.ts'
import type { TransactionOutcome } from './result.ts'
import type { SignatureChecker } from './signature-checker.ts'
import type { HostLedgerReader } from './soroban-context.ts'
import { initialResult } from './untouched-result.ts'

export interface LedgerApply {
  readonly ledger: LedgerContext
  readonly host: SorobanHost
  readonly hostLedger: HostLedgerReader
  readonly events: EventFactory
  readonly nonRefundableFee: (transaction: Transaction) => bigint
  /** The highest sequence number that transactions of this ledger use on an account. */
  readonly highestSequence: (account: AccountId) => bigint
  /** 32 bytes from which every transaction's randomness follows. */
  readonly seed: Uint8Array
  /** Told of what stellar-core would answer with txINTERNAL_ERROR. */
  readonly log: (line: string) => void
}

export interface Applied {
  readonly verdict: TransactionOutcome
  readonly fee: RefundableFeeTracker | undefined
  readonly before: readonly Uint8Array[]
  readonly operations: readonly OperationMeta[]
  readonly returnValue: Uint8Array | undefined
  readonly diagnostics: readonly Uint8Array[]
}

export const metaOf = (
  { before, operations, fee, returnValue, diagnostics }: Applied,
  events: MetaParts['events'],
): MetaParts => ({
  before,
  operations,
  soroban: fee && { fee, ...(returnValue && { returnValue }) },
  events,
  diagnostics,
})

/** `index` is the transaction's place in its set, from 0. */
export function applyTransaction(
  below: LedgerTxn,
  envelope: Envelope,
  { apply, index }: { readonly apply: LedgerApply; readonly index: number },
): Applied {
  const { transaction } = envelope
  const fee = transaction.soroban
    ? new RefundableFeeTracker(transaction.soroban.resourceFee, apply.nonRefundableFee(transaction))
    : undefined
  const run = { envelope, apply, fee, index }
  const before = [...touchFeeSource(below, run)]
  const start = new LedgerTxn(below)
  const signatures = signaturesOf(envelope)
  const invalid = prepare(start, run, signatures)
  before.push(...encodeChanges(start.changes()))
  start.commit()
  const outcome = invalid
    ? { verdict: invalid, operations: [], returnValue: undefined, diagnostics: [] }
    : applyOperations(below, run)
  if (outcome.verdict.code !== 'txSuccess') fee?.reset()
  return { fee, before, ...outcome }
}

/** One transaction on its way through a ledger. */
export interface Run {
  readonly envelope: Envelope
  readonly apply: LedgerApply
  readonly fee: RefundableFeeTracker | undefined
  readonly index: number
}

/** A fee bump's payer shows up in the meta, less a pre-authorized signer that was used up. */
function touchFeeSource(below: LedgerTxn, { envelope, apply }: Run): Uint8Array[] {
  const { feeBump, feeSource } = envelope
  if (!feeBump) return []
  const ltx = new LedgerTxn(below)
  const account = loadAccount(ltx, feeSource)
  if (!account) return []
  removePreAuthSigner(ltx, account, { hash: feeBump.hash, ledger: apply.ledger.sequence })
  storeAccount(ltx, account, apply.ledger.sequence)
  const changes = encodeChanges(ltx.changes())
  ltx.commit()
  return changes
}

/** Validity at the moment of applying, the sequence number, and who signed what. */
function prepare(
  ltx: LedgerTxn,
  { envelope, apply }: Run,
  signatures: SignatureChecker,
): TransactionOutcome | undefined {
  const { transaction, feeBump } = envelope
  const { ledger } = apply
  const now = BigInt(ledger.closeTime)
  const { stage, problem } = commonValid(
    {
      view: ltx,
      ledger: ledger.sequence,
      earliest: now,
      latest: now,
      transaction,
      paysItself: !feeBump,
      feeToPay: 0n,
      nonRefundableFee: apply.nonRefundableFee(transaction),
    },
    signatures,
  )
  if (stage !== 'rejected') useSequence(ltx, transaction, ledger)
  const unsigned = problem ? undefined : operationProblems(ltx, transaction, signatures)
  removePreAuthSigners(ltx, transaction, ledger)
  if (problem) return { code: problem.code }
  if (unsigned) return { code: 'txFailed', operations: unsigned }
  return signatures.allUsed() ? undefined : { code: 'txBadAuthExtra' }
}

function useSequence(ltx: LedgerTxn, { source, sequence }: Transaction, ledger: LedgerContext) {
  const account = requireAccount(ltx, source)
  account.sequence = sequence
  account.sequenceLedger = ledger.sequence
  account.sequenceTime = BigInt(ledger.closeTime)
  storeAccount(ltx, account, ledger.sequence)
}

function operationProblems(
  ltx: LedgerTxn,
  transaction: Transaction,
  signatures: SignatureChecker,
): xdr.OperationResult[] | undefined {
  let bad = false
  const results = transaction.operations.map((operation) => {
    const threshold = operationFrame(operation)?.threshold ?? 'medium'
    const found = checkOperationSignature(ltx, signatures, { operation, transaction, threshold })
    bad ||= found !== undefined
    return found ?? initialResult(operation)
  })
  return bad ? results : undefined
}

function removePreAuthSigners(
  ltx: LedgerTxn,
  transaction: Transaction,
  { sequence }: LedgerContext,
): void {
  const sources = new Set(transaction.operations.map((it) => sourceOf(it, transaction)))
  for (const id of sources.add(transaction.source)) {
    const account = loadAccount(ltx, id)
    const removed =
      account && removePreAuthSigner(ltx, account, { hash: transaction.hash, ledger: sequence })
    if (removed) storeAccount(ltx, account, sequence)
  }
}
