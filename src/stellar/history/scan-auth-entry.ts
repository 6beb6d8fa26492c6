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
}

/** Undefined for an entry that the signature of the transaction's source account authorizes. */
export function scanAuthEntry(cursor: XdrCursor): ScannedSigner | undefined {
  const signer = scanCredentials(cursor)
  skipInvocation(cursor)
  return signer
}

function scanCredentials(cursor: XdrCursor): ScannedSigner | undefined {
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

function scanAddressCredentials(cursor: XdrCursor): ScannedSigner {
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

function skipInvocation(cursor: XdrCursor): void {
  const type = cursor.uint32()
  switch (type) {
    case 0:
      scanAddress(cursor)
      cursor.opaque()
      cursor.each(scanScValue)
      break
    case 1:
      skipCreation(cursor)
      break
    case 2:
      skipCreation(cursor)
      cursor.each(scanScValue)
      break
    default:
      throw new UnknownXdr('SorobanAuthorizedFunction', type)
  }
  cursor.each(skipInvocation)
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
