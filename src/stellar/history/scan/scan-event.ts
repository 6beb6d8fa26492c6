import type { ScValue } from '../../values/sc-value.ts'
import { scanContractId } from './scan-address.ts'
import { scanScValue } from './scan-sc-value.ts'
import { UnknownXdr, XdrCursor } from './xdr-cursor.ts'

/** An event that a contract emitted in a call that was not rolled back. */
export interface ContractEvent {
  /** `C...` */
  readonly contract: string
  readonly topics: readonly ScValue[]
  readonly data: ScValue
}

const CONTRACT = 1

/** Reads XDR `ContractEvent`; undefined for an event that no contract emitted. */
export const scanContractEvent = (bytes: Buffer): ContractEvent | undefined =>
  scanEvent(new XdrCursor(bytes))

/**
 * Reads XDR `DiagnosticEvent`; undefined for an event of a call that was rolled back, and for those that the host and
 * stellar-core emit: calls, returns, errors and metrics.
 */
export function scanDiagnosticEvent(bytes: Buffer): ContractEvent | undefined {
  const cursor = new XdrCursor(bytes)
  return cursor.isPresent() ? scanEvent(cursor) : undefined
}

function scanEvent(cursor: XdrCursor): ContractEvent | undefined {
  readVersion(cursor, 'ContractEvent.ext')
  const contract = cursor.isPresent() ? scanContractId(cursor) : undefined
  const type = cursor.uint32()
  if (type !== CONTRACT || contract === undefined) return undefined
  readVersion(cursor, 'ContractEvent.body')
  return { contract, topics: cursor.list(scanScValue), data: scanScValue(cursor) }
}

function readVersion(cursor: XdrCursor, union: string): void {
  const version = cursor.uint32()
  if (version !== 0) throw new UnknownXdr(union, version)
}
