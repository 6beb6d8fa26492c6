import { xdr } from '@stellar/stellar-sdk'
import { type HostEvent, isOnLedger } from '../values/sc-value.ts'
import type { OutputSizes } from './rpc.ts'

/** Parts of an answer to `simulateTransaction`, in base64 XDR. */
export interface SimulatedOutput {
  /** `DiagnosticEvent` each. */
  readonly events?: readonly string[] | null | undefined
  readonly returnValueXdr?: string | undefined
  /** `key` is a `LedgerKey`, `after` the `LedgerEntry`; without one the entry is deleted. */
  readonly stateChanges?:
    | readonly { readonly key: string; readonly after?: string | null | undefined }[]
    | null
    | undefined
}

/** A `DiagnosticEvent` is the event that the ledger counts, and before it whether its call succeeded. */
const WRAPPED_BYTES = 4

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64')

/** @param decoded the events of the answer, in its order */
export function outputSizes(
  { events, returnValueXdr = '', stateChanges }: SimulatedOutput,
  decoded: readonly HostEvent[],
): OutputSizes {
  let emittedBytes = bytesOf(returnValueXdr)
  for (const [place, event] of decoded.entries()) {
    if (isOnLedger(event)) emittedBytes += bytesOf(events?.[place] ?? '') - WRAPPED_BYTES
  }
  const largest = { contractData: 0, contractCode: 0 }
  for (const { key, after } of stateChanges ?? []) {
    const { type } = xdr.LedgerKey.fromXdr(key, 'base64')
    if (type !== 'contractData' && type !== 'contractCode') continue
    largest[type] = Math.max(largest[type], bytesOf(after ?? ''))
  }
  return {
    emittedBytes,
    dataEntryBytes: largest.contractData,
    codeEntryBytes: largest.contractCode,
  }
}
