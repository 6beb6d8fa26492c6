import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { ResultCodes } from '../rpc/rpc.ts'

export interface TransactionOutcome extends ResultCodes {
  readonly feeCharged: Stroops
}

/** Reads a base64 `TransactionResult`; of a fee bump, the result of the transaction inside. */
export function readTransactionResult(base64: string): TransactionOutcome {
  // Decoded by the runtime: the SDK decodes base64 a character at a time.
  const bytes = Buffer.from(base64, 'base64')
  const { feeCharged, result } = xdr.TransactionResult.fromXdr(bytes)
  return { feeCharged: asStroops(feeCharged), ...readCodes(result) }
}

function readCodes(result: xdr.TransactionResultResult): ResultCodes {
  const decisive =
    result.type === 'txFeeBumpInnerFailed' || result.type === 'txFeeBumpInnerSuccess'
      ? result.innerResultPair.result.result
      : result
  const operation =
    decisive.type === 'txFailed' || decisive.type === 'txSuccess'
      ? (decisive.results.find(hasFailed) ?? decisive.results[0])
      : undefined
  return {
    resultCode: decisive.type,
    ...(operation && { operationCode: operationCode(operation) }),
  }
}

/** The innermost name: of the operation's own result where it has one. */
const operationCode = (result: xdr.OperationResult): string =>
  result.type === 'opInner' ? result.tr.value.type : result.type

/** XDR names the success code of every operation `...Success`. */
const hasFailed = (result: xdr.OperationResult): boolean =>
  !operationCode(result).endsWith('Success')
