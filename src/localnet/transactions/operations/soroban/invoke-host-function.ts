import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { accountIdXdr } from '../../../ledger/account-id.ts'
import { isValidAsset } from '../../../ledger/assets.ts'
import type { InvokeOutput } from '../../../soroban/invoke.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  succeeded,
} from '../../operation.ts'
import { type Diagnostic, entryArchived, resourceExceeded } from '../../soroban/diagnostics.ts'
import { restoredIndexes, writeFootprint } from '../../soroban/footprint.ts'
import { invocationDiagnostics } from '../../soroban/invocation-diagnostics.ts'
import type { SorobanContext } from '../../soroban/soroban-context.ts'
import { xdrList } from '../../xdr-bytes.ts'

const { invokeHostFunction: result } = xdr.OperationResultTr
const outcomes = xdr.InvokeHostFunctionResult

export function invokeHostFunction(operation: xdr.InvokeHostFunctionOp): OperationFrame {
  return {
    threshold: 'medium',
    check: () =>
      isMalformed(operation.hostFunction)
        ? inner(result(outcomes.invokeHostFunctionMalformed()))
        : undefined,
    apply: (context) => {
      if (!context.soroban) throw new Error('a Soroban operation without its resources')
      return applyInvoke(context, context.soroban, operation)
    },
  }
}

function isMalformed(host: xdr.HostFunction): boolean {
  const preimage =
    host.type === 'hostFunctionTypeCreateContract'
      ? host.createContract.contractIdPreimage
      : host.type === 'hostFunctionTypeCreateContractV2'
        ? host.createContractV2.contractIdPreimage
        : undefined
  return preimage?.type === 'contractIdPreimageFromAsset' && !isValidAsset(preimage.fromAsset)
}

function applyInvoke(
  context: ApplyContext,
  run: SorobanContext,
  operation: xdr.InvokeHostFunctionOp,
): OperationOutcome {
  const { ltx, ledger, source } = context
  const output = run.hostLedger.within(ltx, () =>
    run.host.invoke({
      ledger,
      hostFunction: operation.hostFunction.toXdr(),
      resources: run.data.resources.toXdr(),
      restored: restoredIndexes(run.data),
      source: accountIdXdr(source),
      auth: operation.auth.map((entry) => entry.toXdr()),
      seed: run.seed,
      transactionSize: run.size,
    }),
  )
  const { outcome, diagnostic } = resultOf(context, run, output)
  run.output.diagnostics.push(
    ...invocationDiagnostics(output, {
      diagnostic,
      successful: outcome.ok,
      metaVersion: run.metaVersion,
    }),
  )
  return outcome
}

interface InvokeResult {
  readonly outcome: OperationOutcome
  /** stellar-core's own error. */
  readonly diagnostic?: Diagnostic
}

function resultOf(context: ApplyContext, run: SorobanContext, output: InvokeOutput): InvokeResult {
  switch (output.outcome) {
    case 'trapped':
      return { outcome: failed(result(outcomes.invokeHostFunctionTrapped())) }
    case 'resource_limit_exceeded':
      return {
        outcome: failed(result(outcomes.invokeHostFunctionResourceLimitExceeded())),
        diagnostic: resourceExceeded(output.exceeded),
      }
    case 'entry_archived':
      return {
        outcome: failed(result(outcomes.invokeHostFunctionEntryArchived())),
        diagnostic: entryArchived(output.key),
      }
    case 'success':
      return finish(context, run, output)
  }
}

type Success = Extract<InvokeOutput, { outcome: 'success' }>

function finish(
  { ltx, ledger }: ApplyContext,
  run: SorobanContext,
  { value, events, changes, rentFee, eventsFee }: Success,
): InvokeResult {
  const shortfall = run.fee.consume({ rent: rentFee, events: eventsFee })
  if (shortfall) {
    const outcome = failed(result(outcomes.invokeHostFunctionInsufficientRefundableFee()))
    return { outcome, diagnostic: shortfall }
  }
  writeFootprint(ltx, changes, ledger.sequence)
  run.output.returnValue = value
  run.output.events = events
  const hash = successHash(value, events)
  return { outcome: succeeded(result(outcomes.invokeHostFunctionSuccess(hash))) }
}

/** SHA-256 of InvokeHostFunctionSuccessPreImage: the return value, then the events. */
const successHash = (value: Uint8Array, events: readonly Uint8Array[]): Uint8Array =>
  createHash('sha256').update(value).update(xdrList(events)).digest()
