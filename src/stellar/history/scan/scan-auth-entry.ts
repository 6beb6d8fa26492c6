import { scanAccountId, scanAddress } from './scan-address.ts'
import { scanScValue } from './scan-sc-value.ts'
import { UnknownXdr, type XdrCursor } from './xdr-cursor.ts'

/** The part of a `SorobanAuthorizationEntry`, signed by an address, that is read. */
export interface ScannedSigner {
  /** Strkey, `G...` or `C...`. */
  readonly address: string
  /** The ledger accepts each one once per address. */
  readonly nonce: bigint
  /** The last ledger in which the entry is valid. */
  readonly expirationLedger: number
  /** Absent where it authorizes the creation of a contract. */
  readonly call?: AuthorizedCall
}

/** The call that an entry authorizes, with those below it. */
interface AuthorizedCall {
  /** `C...` */
  readonly contract: string
  readonly functionName: string
}

/** Undefined for an entry that the signature of the transaction's source account authorizes. */
export function scanAuthEntry(cursor: XdrCursor): ScannedSigner | undefined {
  const signer = scanCredentials(cursor)
  const call = scanInvocation(cursor)
  return signer && { ...signer, ...(call && { call }) }
}

function scanCredentials(cursor: XdrCursor): Omit<ScannedSigner, 'call'> | undefined {
  const type = cursor.uint32()
  switch (type) {
    case 0:
      return undefined
    case 1:
    case 2:
      return scanAddressCredentials(cursor)
    case 3: {
      const signer = scanAddressCredentials(cursor)
      cursor.each(skipDelegate)
      return signer
    }
    default:
      throw new UnknownXdr('SorobanCredentials', type)
  }
}

function scanAddressCredentials(cursor: XdrCursor): Omit<ScannedSigner, 'call'> {
  const address = scanAddress(cursor)
  const nonce = cursor.int64()
  const expirationLedger = cursor.uint32()
  scanScValue(cursor)
  return { address, nonce, expirationLedger }
}

const HASH_BYTES = 32

function skipDelegate(cursor: XdrCursor): void {
  scanAddress(cursor)
  scanScValue(cursor)
  cursor.each(skipDelegate)
}

function scanInvocation(cursor: XdrCursor): AuthorizedCall | undefined {
  const call = scanAuthorizedFunction(cursor)
  cursor.each(scanInvocation)
  return call
}

function scanAuthorizedFunction(cursor: XdrCursor): AuthorizedCall | undefined {
  const type = cursor.uint32()
  switch (type) {
    case 0: {
      const contract = scanAddress(cursor)
      const functionName = cursor.opaque().toString()
      cursor.each(scanScValue)
      return { contract, functionName }
    }
    case 1:
      skipCreation(cursor)
      return undefined
    case 2:
      skipCreation(cursor)
      cursor.each(scanScValue)
      return undefined
    default:
      throw new UnknownXdr('SorobanAuthorizedFunction', type)
  }
}

/** `CreateContractArgs`. */
export function skipCreation(cursor: XdrCursor): void {
  const preimage = cursor.uint32()
  if (preimage === 0) {
    scanAddress(cursor)
    cursor.skip(HASH_BYTES)
  } else if (preimage === 1) skipAsset(cursor)
  else throw new UnknownXdr('ContractIDPreimage', preimage)
  const executable = cursor.uint32()
  if (executable === 0) cursor.skip(HASH_BYTES)
  else if (executable !== 1) throw new UnknownXdr('ContractExecutable', executable)
}

const codeLengths: Readonly<Record<number, number>> = { 1: 4, 2: 12 }

function skipAsset(cursor: XdrCursor): void {
  const type = cursor.uint32()
  if (type === 0) return
  const code = codeLengths[type]
  if (code === undefined) throw new UnknownXdr('Asset', type)
  cursor.skip(code)
  scanAccountId(cursor)
}
