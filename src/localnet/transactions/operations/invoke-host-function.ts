import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { accountIdXdr } from '../../ledger/account-id.ts'
import { isValidAsset } from '../../ledger/assets.ts'
import type { InvokeOutput } from '../../soroban/invoke.ts'
import {
  type Diagnostic,
  diagnosticEvent,
  entryArchived,
  resourceExceeded,
} from '../diagnostics.ts'
import { restoredIndexes, writeFootprint } from '../footprint.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  succeeded,
} from '../operation.ts'
import type { SorobanContext } from '../soroban-context.ts'
import { xdrList } from '../xdr-bytes.ts'

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
  run.output.diagnostics.push(...output.diagnostics)
  switch (output.outcome) {
    case 'trapped':
      return failed(result(outcomes.invokeHostFunctionTrapped()))
    case 'resource_limit_exceeded':
      pushDiagnostic(run, resourceExceeded(output.exceeded))
      return failed(result(outcomes.invokeHostFunctionResourceLimitExceeded()))
    case 'entry_archived':
      pushDiagnostic(run, entryArchived(output.key))
      return failed(result(outcomes.invokeHostFunctionEntryArchived()))
    case 'success':
      return finish(context, run, output)
  }
}

const pushDiagnostic = ({ output }: SorobanContext, diagnostic: Diagnostic): unknown =>
  output.diagnostics.push(diagnosticEvent(diagnostic))

type Success = Extract<InvokeOutput, { outcome: 'success' }>

function finish(
  { ltx, ledger }: ApplyContext,
  run: SorobanContext,
  { value, events, changes, rentFee, eventsFee }: Success,
): OperationOutcome {
  const shortfall = run.fee.consume({ rent: rentFee, events: eventsFee })
  if (shortfall) {
    pushDiagnostic(run, shortfall)
    return failed(result(outcomes.invokeHostFunctionInsufficientRefundableFee()))
  }
  writeFootprint(ltx, changes, ledger.sequence)
  run.output.returnValue = value
  run.output.events = events
  return succeeded(result(outcomes.invokeHostFunctionSuccess(successHash(value, events))))
}

/** SHA-256 of InvokeHostFunctionSuccessPreImage: the return value, then the events. */
const successHash = (value: Uint8Array, events: readonly Uint8Array[]): Uint8Array =>
  createHash('sha256').update(value).update(xdrList(events)).digest()
