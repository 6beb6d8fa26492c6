/**
 * Applies one transaction whose fee is already taken: the sequence number first, whatever comes of
 * the rest; then the operations, all or none of them (stellar-core's TransactionFrame::apply).
 */
import type { xdr } from '@stellar/stellar-sdk'
import type { AccountId } from '../ledger/account-id.ts'
import { Overlay } from '../ledger/entry-store.ts'
import { loadAccount, requireAccount, storeAccount } from '../ledger/typed-entries.ts'
import type { SorobanHost } from '../soroban/host.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'
import { applyOperations } from './apply-operations.ts'
import { signaturesOf } from './check-valid.ts'
import { checkTransaction } from './common-valid.ts'
import type { Envelope, Transaction } from './envelope.ts'
import type { EventFactory } from './events.ts'
import { encodeChanges, type MetaParts, type OperationMeta } from './meta.ts'
import { signatureProblem, sourceOf } from './operation-signatures.ts'
import { bindOperation } from './operations/operation-frame.ts'
import { removeUsedSigners } from './pre-auth-signers.ts'
import { RefundableFee } from './refundable-fee-tracker.ts'
import type { InnerVerdict } from './result.ts'
import type { SignatureCheck } from './signature-checker.ts'
import type { HostLedger } from './soroban-context.ts'
import { untouchedResult } from './untouched-result.ts'

export interface LedgerApply {
  readonly ledger: LedgerContext
  readonly host: SorobanHost
  readonly ledgerOfHost: HostLedger
  readonly events: EventFactory
  readonly resourceCost: (transaction: Transaction) => bigint
  /** The highest sequence number that transactions of this ledger use on an account. */
  readonly highestSequence: (account: AccountId) => bigint
  /** 32 bytes from which every transaction's randomness follows. */
  readonly seed: Uint8Array
  /** Told of what stellar-core would answer with txINTERNAL_ERROR. */
  readonly log: (line: string) => void
}

export interface Applied {
  readonly verdict: InnerVerdict
  readonly fee: RefundableFee | undefined
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
  below: Overlay,
  envelope: Envelope,
  { apply, index }: { readonly apply: LedgerApply; readonly index: number },
): Applied {
  const { transaction } = envelope
  const fee = transaction.soroban
    ? new RefundableFee(transaction.soroban.resourceFee, apply.resourceCost(transaction))
    : undefined
  const run = { envelope, apply, fee, index }
  const before = [...touchFeeSource(below, run)]
  const start = new Overlay(below)
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
  readonly fee: RefundableFee | undefined
  readonly index: number
}

/** A fee bump's payer shows up in the meta, less a pre-authorized signer that was used up. */
function touchFeeSource(below: Overlay, { envelope, apply }: Run): Uint8Array[] {
  const { feeBump, feeSource } = envelope
  if (!feeBump) return []
  const overlay = new Overlay(below)
  const account = loadAccount(overlay, feeSource)
  if (!account) return []
  removeUsedSigners(overlay, account, { hash: feeBump.hash, ledger: apply.ledger.sequence })
  storeAccount(overlay, account, apply.ledger.sequence)
  const changes = encodeChanges(overlay.changes())
  overlay.commit()
  return changes
}

/** Validity at the moment of applying, the sequence number, and who signed what. */
function prepare(
  overlay: Overlay,
  { envelope, apply }: Run,
  signatures: SignatureCheck,
): InnerVerdict | undefined {
  const { transaction, feeBump } = envelope
  const { ledger } = apply
  const now = BigInt(ledger.closeTime)
  const { stage, problem } = checkTransaction(
    {
      view: overlay,
      ledger: ledger.sequence,
      earliest: now,
      latest: now,
      transaction,
      paysItself: !feeBump,
      feeToPay: 0n,
      resourceCost: apply.resourceCost(transaction),
    },
    signatures,
  )
  if (stage !== 'rejected') useSequence(overlay, transaction, ledger)
  const unsigned = problem ? undefined : operationProblems(overlay, transaction, signatures)
  removeOneTimeSigners(overlay, transaction, ledger)
  if (problem) return { code: problem.code }
  if (unsigned) return { code: 'txFailed', operations: unsigned }
  return signatures.allUsed() ? undefined : { code: 'txBadAuthExtra' }
}

function useSequence(overlay: Overlay, { source, sequence }: Transaction, ledger: LedgerContext) {
  const account = requireAccount(overlay, source)
  account.sequence = sequence
  account.sequenceLedger = ledger.sequence
  account.sequenceTime = BigInt(ledger.closeTime)
  storeAccount(overlay, account, ledger.sequence)
}

function operationProblems(
  overlay: Overlay,
  transaction: Transaction,
  signatures: SignatureCheck,
): xdr.OperationResult[] | undefined {
  let bad = false
  const results = transaction.operations.map((operation) => {
    const threshold = bindOperation(operation)?.threshold ?? 'medium'
    const found = signatureProblem(overlay, signatures, { operation, transaction, threshold })
    bad ||= found !== undefined
    return found ?? untouchedResult(operation)
  })
  return bad ? results : undefined
}

function removeOneTimeSigners(
  overlay: Overlay,
  transaction: Transaction,
  { sequence }: LedgerContext,
): void {
  const sources = new Set(transaction.operations.map((it) => sourceOf(it, transaction)))
  for (const id of sources.add(transaction.source)) {
    const account = loadAccount(overlay, id)
    const removed =
      account && removeUsedSigners(overlay, account, { hash: transaction.hash, ledger: sequence })
    if (removed) storeAccount(overlay, account, sequence)
  }
}
