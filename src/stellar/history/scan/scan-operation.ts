import type { ScValue } from '../../values/sc-value.ts'
import { scanAddress, scanBaseAccount } from './scan-address.ts'
import { type ScannedSigner, scanAuthEntry, skipCreation } from './scan-auth-entry.ts'
import { scanScValue } from './scan-sc-value.ts'
import { UnknownXdr, type XdrCursor } from './xdr-cursor.ts'

export interface ScannedOperation {
  /** `G...`; absent when it has none of its own. */
  readonly source?: string
  /** Whether it runs a function of the host: no other operation carries authorization entries. */
  readonly isHostFunction: boolean
  /** Absent unless it calls a contract. */
  readonly call?: ScannedCall
  /** One for each authorization entry that an address signed, whatever the host function is. */
  readonly signers: readonly ScannedSigner[]
}

export interface ScannedCall {
  /** `C...` */
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ScValue[]
}

const INVOKE_HOST_FUNCTION = 24

/** Reads an `Operation` to the end of what it can authorize; of other operations only the source. */
export function scanOperation(cursor: XdrCursor): ScannedOperation {
  const own = cursor.isPresent() ? { source: scanBaseAccount(cursor) } : {}
  if (cursor.uint32() !== INVOKE_HOST_FUNCTION)
    return { ...own, isHostFunction: false, signers: [] }
  const call = scanHostFunction(cursor)
  const signers = cursor.list(scanAuthEntry).filter((signer) => signer !== undefined)
  return { ...own, isHostFunction: true, ...(call && { call }), signers }
}

function scanHostFunction(cursor: XdrCursor): ScannedCall | undefined {
  const type = cursor.uint32()
  switch (type) {
    case 0: {
      const contract = scanAddress(cursor)
      const functionName = cursor.opaque().toString()
      return { contract, functionName, args: cursor.list(scanScValue) }
    }
    case 1:
      skipCreation(cursor)
      return undefined
    case 2:
      cursor.opaque()
      return undefined
    case 3:
      // The constructor's arguments; what it calls can use any of the entries.
      skipCreation(cursor)
      cursor.each(scanScValue)
      return undefined
    default:
      throw new UnknownXdr('HostFunction', type)
  }
}
