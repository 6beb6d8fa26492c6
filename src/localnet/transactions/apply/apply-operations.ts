/** Applies the operations of a transaction one after the other: all or none take effect. */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import type { AccountId } from '../../ledger/account-id.ts'
import { LedgerTxn } from '../../ledger/ledger-txn.ts'
import { accountExists } from '../../ledger/typed-entries.ts'
import type { ApplyContext, OperationOutcome } from '../operation.ts'
import { operationFrame } from '../operations/operation-frame.ts'
import { type Shuffle, shuffleOf } from '../set/shuffle.ts'
import type { SorobanContext, SorobanOutput } from '../soroban/soroban-context.ts'
import { muxedSourceOf, sourceOf } from '../valid/operation-signatures.ts'
import type { Applied, Run } from './apply-run.ts'
import { encodeChanges, type OperationMeta } from './meta.ts'
import type { TransactionOutcome } from './result.ts'

type AppliedOperations = Pick<Applied, 'outcome' | 'operations' | 'returnValue' | 'diagnostics'>

/** Shared by the operations of one transaction. */
interface TransactionScope {
  readonly run: Run
  readonly ltx: LedgerTxn
  readonly output: SorobanOutput
  readonly sponsorships: Map<AccountId, AccountId>
}

interface Step {
  readonly outcome: OperationOutcome
  readonly meta: OperationMeta
}

export function applyOperations(parent: LedgerTxn, run: Run): AppliedOperations {
  const ltx = new LedgerTxn(parent)
  const output: SorobanOutput = { events: [], diagnostics: [] }
  const sponsorships = new Map<AccountId, AccountId>()
  const scope = { run, ltx, output, sponsorships }
  const steps = run.envelope.transaction.operations.map((_, index) => attempt(scope, index))
  const outcome = outcomeOf(steps, sponsorships)
  if (outcome.code !== 'txSuccess') {
    return { outcome, operations: [], returnValue: undefined, diagnostics: output.diagnostics }
  }
  ltx.commit()
  return {
    outcome,
    operations: steps.flatMap((step) => (step ? [step.meta] : [])),
    returnValue: output.returnValue,
    diagnostics: output.diagnostics,
  }
}

function outcomeOf(
  steps: readonly (Step | undefined)[],
  sponsorships: ReadonlyMap<AccountId, AccountId>,
): TransactionOutcome {
  const done = steps.filter((step) => step !== undefined)
  if (done.length < steps.length) return { code: 'txInternalError' }
  const operations = done.map(({ outcome }) => outcome.result)
  if (done.some(({ outcome }) => !outcome.ok)) return { code: 'txFailed', operations }
  // Each sponsored account must end its sponsorship (CAP-33).
  if (sponsorships.size > 0) return { code: 'txBadSponsorship' }
  return { code: 'txSuccess', operations }
}

/** Undefined when the operation threw: an internal error. */
function attempt(scope: TransactionScope, index: number): Step | undefined {
  try {
    return step(scope, index)
  } catch (error) {
    scope.run.apply.log(
      `transaction ${scope.run.envelope.hash} failed with an internal error: ${String(error)}`,
    )
    return undefined
  }
}

/** Operations after a failed one run too: the transaction's result holds the results of all. */
function step(scope: TransactionScope, index: number): Step {
  const operation = scope.run.envelope.transaction.operations[index]
  if (!operation) throw new RangeError(`no operation ${index}`)
  const ltx = new LedgerTxn(scope.ltx)
  const emitted: Uint8Array[] = []
  const context = contextOf(scope, { operation, ltx, emitted })
  const outcome = applyOperation(operation, context)
  const meta = {
    changes: outcome.ok ? encodeChanges(ltx.changes(), shuffleFor(scope, index)) : [],
    events: [...emitted, ...scope.output.events],
  }
  if (outcome.ok) ltx.commit()
  return { outcome, meta }
}

function shuffleFor({ run }: TransactionScope, index: number): Shuffle | undefined {
  const { shuffleChanges } = run.apply
  if (shuffleChanges === undefined) return undefined
  return shuffleOf(shuffleChanges, run.envelope.transaction.hash, index)
}

function applyOperation(operation: xdr.Operation, context: ApplyContext): OperationOutcome {
  const frame = operationFrame(operation)
  if (!frame) return { ok: false, result: xdr.OperationResult.opNotSupported() }
  if (!accountExists(context.ltx, context.source)) {
    return { ok: false, result: xdr.OperationResult.opNoAccount() }
  }
  const malformed = frame.check(context)
  return malformed ? { ok: false, result: malformed } : frame.apply(context)
}

interface OperationScope {
  readonly operation: xdr.Operation
  readonly ltx: LedgerTxn
  readonly emitted: Uint8Array[]
}

function contextOf(
  scope: TransactionScope,
  { operation, ltx, emitted }: OperationScope,
): ApplyContext {
  const { apply, envelope } = scope.run
  const { transaction } = envelope
  return {
    source: sourceOf(operation, transaction),
    muxedSource: muxedSourceOf(operation, transaction),
    transaction,
    ltx,
    ledger: apply.ledger,
    sponsorships: scope.sponsorships,
    events: apply.events,
    emit: (event) => emitted.push(event.toXdr()),
    highestSequence: apply.highestSequence,
    soroban: sorobanContext(scope),
  }
}

/** A Soroban transaction has one operation, which uses the transaction's seed as it is (CAP-63). */
function sorobanContext({ run, output }: TransactionScope): SorobanContext | undefined {
  const { envelope, apply, fee } = run
  const { soroban, size } = envelope.transaction
  if (!soroban || !fee) return undefined
  const { host, hostLedger, metaVersion } = apply
  const seed = subSeed(apply.seed, run.index)
  return { host, hostLedger, data: soroban, size, seed, fee, metaVersion, output }
}

/** SHA-256 of the seed and the index as 64 bits (stellar-core's subSha256). */
const subSeed = (seed: Uint8Array, index: number): Uint8Array =>
  createHash('sha256').update(seed).update(uint64(index)).digest()

function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
