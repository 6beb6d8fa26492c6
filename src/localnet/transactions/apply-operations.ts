/** The operations of a transaction, one on top of the other: all of them count or none does. */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import type { AccountId } from '../ledger/account-id.ts'
import { LedgerTxn } from '../ledger/entry-store.ts'
import { accountExists } from '../ledger/typed-entries.ts'
import type { Applied, Run } from './apply.ts'
import { encodeChanges, type OperationMeta } from './meta.ts'
import type { ApplyContext, OperationOutcome } from './operation.ts'
import { muxedSourceOf, sourceOf } from './operation-signatures.ts'
import { operationFrame } from './operations/operation-frame.ts'
import type { TransactionOutcome } from './result.ts'
import type { SorobanContext, SorobanOutput } from './soroban-context.ts'

type Outcome = Pick<Applied, 'verdict' | 'operations' | 'returnValue' | 'diagnostics'>

/** What the steps of one transaction share. */
interface Shared {
  readonly run: Run
  readonly ltx: LedgerTxn
  readonly output: SorobanOutput
  readonly sponsorships: Map<AccountId, AccountId>
}

interface Step {
  readonly outcome: OperationOutcome
  readonly meta: OperationMeta
}

export function applyOperations(below: LedgerTxn, run: Run): Outcome {
  const ltx = new LedgerTxn(below)
  const output: SorobanOutput = { events: [], diagnostics: [] }
  const sponsorships = new Map<AccountId, AccountId>()
  const shared = { run, ltx, output, sponsorships }
  const steps = run.envelope.transaction.operations.map((_, index) => attempt(shared, index))
  const verdict = verdictOf(steps, sponsorships)
  if (verdict.code !== 'txSuccess') {
    return { verdict, operations: [], returnValue: undefined, diagnostics: output.diagnostics }
  }
  ltx.commit()
  return {
    verdict,
    operations: steps.flatMap((step) => (step ? [step.meta] : [])),
    returnValue: output.returnValue,
    diagnostics: output.diagnostics,
  }
}

function verdictOf(
  steps: readonly (Step | undefined)[],
  sponsorships: ReadonlyMap<AccountId, AccountId>,
): TransactionOutcome {
  const done = steps.filter((step) => step !== undefined)
  if (done.length < steps.length) return { code: 'txInternalError' }
  const operations = done.map(({ outcome }) => outcome.result)
  if (done.some(({ outcome }) => !outcome.ok)) return { code: 'txFailed', operations }
  // Whatever is sponsored must be ended by the one it was done for (CAP-33).
  if (sponsorships.size > 0) return { code: 'txBadSponsorship' }
  return { code: 'txSuccess', operations }
}

/** Undefined where an operation could not come to a result at all. */
function attempt(shared: Shared, index: number): Step | undefined {
  try {
    return step(shared, index)
  } catch (error) {
    shared.run.apply.log(`transaction ${shared.run.envelope.hash} broke: ${String(error)}`)
    return undefined
  }
}

/** Operations after a failed one are applied too: their results are part of the transaction's. */
function step(shared: Shared, index: number): Step {
  const operation = shared.run.envelope.transaction.operations[index]
  if (!operation) throw new RangeError(`no operation ${index}`)
  const ltx = new LedgerTxn(shared.ltx)
  const emitted: Uint8Array[] = []
  const context = contextOf(shared, { operation, ltx, emitted })
  const outcome = applyOperation(operation, context)
  const meta = {
    changes: outcome.ok ? encodeChanges(ltx.changes()) : [],
    events: [...emitted, ...shared.output.events],
  }
  if (outcome.ok) ltx.commit()
  return { outcome, meta }
}

function applyOperation(operation: xdr.Operation, context: ApplyContext): OperationOutcome {
  const bound = operationFrame(operation)
  if (!bound) return { ok: false, result: xdr.OperationResult.opNotSupported() }
  if (!accountExists(context.ltx, context.source)) {
    return { ok: false, result: xdr.OperationResult.opNoAccount() }
  }
  const malformed = bound.check(context)
  return malformed ? { ok: false, result: malformed } : bound.apply(context)
}

interface Own {
  readonly operation: xdr.Operation
  readonly ltx: LedgerTxn
  readonly emitted: Uint8Array[]
}

function contextOf(shared: Shared, { operation, ltx, emitted }: Own): ApplyContext {
  const { apply, envelope } = shared.run
  const { transaction } = envelope
  return {
    source: sourceOf(operation, transaction),
    muxedSource: muxedSourceOf(operation, transaction),
    transaction,
    ltx,
    ledger: apply.ledger,
    sponsorships: shared.sponsorships,
    events: apply.events,
    emit: (event) => emitted.push(event.toXdr()),
    highestSequence: apply.highestSequence,
    soroban: sorobanRun(shared),
  }
}

/** A Soroban transaction has one operation, which takes the transaction's seed as it is (CAP-63). */
function sorobanRun({ run, output }: Shared): SorobanContext | undefined {
  const { envelope, apply, fee } = run
  const { soroban, size } = envelope.transaction
  if (!soroban || !fee) return undefined
  const { host, hostLedger } = apply
  const seed = subSeed(apply.seed, run.index)
  return { host, hostLedger, data: soroban, size, seed, fee, output }
}

/** Randomness of a part: SHA-256 of the whole's and the part's number, 64 bits wide. */
const subSeed = (seed: Uint8Array, index: number): Uint8Array =>
  createHash('sha256').update(seed).update(uint64(index)).digest()

function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
