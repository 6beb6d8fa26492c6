import type { MessageReader } from './message.ts'

/** SCErrorType of the protocol, by its number. */
const errorTypes = [
  'contract',
  'wasm_vm',
  'context',
  'storage',
  'object',
  'crypto',
  'events',
  'budget',
  'value',
  'auth',
] as const

type HostErrorType = (typeof errorTypes)[number]

/** An error of the host or of a contract during a call. */
export interface HostFailure {
  readonly type: HostErrorType
  /** The contract's own number if `type` is `contract`, else an SCErrorCode. */
  readonly code: number
  /** ScVal XDR of the error. */
  readonly scVal: Uint8Array
  /** The error and the event log, as in Stellar RPC's answer to a failed simulation. */
  readonly text: string
}

/** An error ScVal is its arm (2), its type and its code, four bytes each, big endian. */
export const readFailure = (input: MessageReader): HostFailure => {
  const scVal = input.bytes()
  const view = new DataView(scVal.buffer, scVal.byteOffset, scVal.byteLength)
  const type = errorTypes[view.getUint32(4)]
  if (type === undefined) throw new Error('the host reported an unknown error type')
  return { type, code: view.getUint32(8), scVal, text: input.text() }
}

/** The crate's `limits::Resource`, in its order. */
const limitedResources = [
  'disk_read_bytes',
  'entry_size',
  'instructions',
  'memory',
  'write_bytes',
  'events_size',
  'return_value_size',
] as const

export type LimitedResource = (typeof limitedResources)[number]

/** The limit behind a RESOURCE_LIMIT_EXCEEDED. */
export interface ResourceLimitExceeded {
  readonly resource: LimitedResource
  readonly used: bigint
  readonly allowed: bigint
}

export const readExceeded = (input: MessageReader): ResourceLimitExceeded => {
  const resource = limitedResources[input.u8()]
  if (resource === undefined) throw new Error('the host reported an unknown resource')
  return { resource, used: input.u64(), allowed: input.u64() }
}
