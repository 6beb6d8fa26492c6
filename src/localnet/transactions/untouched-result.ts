import { xdr } from '@stellar/stellar-sdk'
import { operationFrame } from './operations/operation-frame.ts'
import { xdrUint32 } from './xdr-bytes.ts'

/** What stellar-core's results hold before an operation was looked at: code 0 of its kind. */
export function initialResult(operation: xdr.Operation): xdr.OperationResult {
  if (!operationFrame(operation)) return xdr.OperationResult.opNotSupported()
  const { type } = operation.body
  const kind = operation.body.toXdr().subarray(0, 4)
  const payload = type === 'accountMerge' ? BALANCE : type === 'invokeHostFunction' ? HASH : 0
  return xdr.OperationResult.fromXdr(
    Buffer.concat([xdrUint32(0), kind, xdrUint32(0), new Uint8Array(payload)]),
  )
}

/** Bytes of what a success of these carries besides its code. */
const BALANCE = 8
const HASH = 32
