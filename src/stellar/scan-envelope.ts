/**
 * What the explorer reads of a transaction's envelope: everything up to its only operation, and nothing of the resources
 * and signatures behind it.
 */
import type { ScValue } from './sc-value.ts'
import { scanAddress, scanBareAccount, scanBaseAccount } from './scan-address.ts'
import { type ScannedSigner, scanAuthEntry } from './scan-auth-entry.ts'
import { scanScValue } from './scan-sc-value.ts'
import { UnknownXdr, XdrCursor } from './xdr-cursor.ts'

export interface ScannedEnvelope {
  /** `G...`, of the inner transaction if there is a fee bump; without the id of a muxed account. */
  readonly source: string
  /** `G...`; of the fee bump, absent without one. */
  readonly feeSource?: string
  /** Text as it is, ids as digits, hashes as hex; absent without a memo. */
  readonly memo?: string
  readonly operations: number
  /** Of the only operation, if it calls a contract. */
  readonly call?: ScannedCall
}

export interface ScannedCall {
  /** Source of the operation, `G...`; absent when it has none of its own. */
  readonly source?: string
  /** `C...` */
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ScValue[]
  /** One for each authorization entry that an address signed. */
  readonly signers: readonly ScannedSigner[]
}

/** Throws when the bytes are no `TransactionEnvelope`. */
export function scanEnvelope(bytes: Buffer): ScannedEnvelope {
  const cursor = new XdrCursor(bytes)
  const type = cursor.uint32()
  if (type === FEE_BUMP) {
    const feeSource = scanBaseAccount(cursor)
    cursor.skip(INT64_BYTES)
    const inner = cursor.uint32()
    if (inner !== VERSION_ONE) throw new UnknownXdr('FeeBumpTransaction.innerTx', inner)
    return { ...scanTransaction(cursor, scanBaseAccount), feeSource }
  }
  if (type === VERSION_ONE) return scanTransaction(cursor, scanBaseAccount)
  if (type === VERSION_ZERO) return scanTransaction(cursor, scanBareAccount)
  throw new UnknownXdr('TransactionEnvelope', type)
}

const VERSION_ZERO = 0
const VERSION_ONE = 2
const FEE_BUMP = 5
const INT64_BYTES = 8

function scanTransaction(
  cursor: XdrCursor,
  scanSource: (cursor: XdrCursor) => string,
): ScannedEnvelope {
  const source = scanSource(cursor)
  cursor.skip(FEE_AND_SEQUENCE_BYTES)
  skipPreconditions(cursor)
  const memo = scanMemo(cursor)
  const operations = cursor.uint32()
  const call = operations === 1 ? scanOperation(cursor) : undefined
  return { source, operations, ...(memo !== undefined && { memo }), ...(call && { call }) }
}

const FEE_AND_SEQUENCE_BYTES = 4 + 8

function skipPreconditions(cursor: XdrCursor): void {
  const type = cursor.uint32()
  if (type === 0) return
  if (type === 1) cursor.skip(TIME_BOUNDS_BYTES)
  else if (type === 2) skipPreconditionsV2(cursor)
  else throw new UnknownXdr('Preconditions', type)
}

function skipPreconditionsV2(cursor: XdrCursor): void {
  if (cursor.isPresent()) cursor.skip(TIME_BOUNDS_BYTES)
  if (cursor.isPresent()) cursor.skip(LEDGER_BOUNDS_BYTES)
  if (cursor.isPresent()) cursor.skip(INT64_BYTES)
  cursor.skip(SEQUENCE_AGE_AND_GAP_BYTES)
  cursor.each(skipSignerKey)
}

const TIME_BOUNDS_BYTES = 8 + 8
const LEDGER_BOUNDS_BYTES = 4 + 4
const SEQUENCE_AGE_AND_GAP_BYTES = 8 + 4
const KEY_BYTES = 32
const SIGNED_PAYLOAD = 3

function skipSignerKey(cursor: XdrCursor): void {
  const type = cursor.uint32()
  if (type > SIGNED_PAYLOAD) throw new UnknownXdr('SignerKey', type)
  cursor.skip(KEY_BYTES)
  if (type === SIGNED_PAYLOAD) cursor.opaque()
}

function scanMemo(cursor: XdrCursor): string | undefined {
  const type = cursor.uint32()
  switch (type) {
    case 0:
      return undefined
    case 1:
      return cursor.opaque().toString()
    case 2:
      return cursor.uint64().toString()
    case 3:
    case 4:
      return cursor.fixed(KEY_BYTES).toString('hex')
    default:
      throw new UnknownXdr('Memo', type)
  }
}

const INVOKE_HOST_FUNCTION = 24
const INVOKE_CONTRACT = 0

function scanOperation(cursor: XdrCursor): ScannedCall | undefined {
  const source = cursor.isPresent() ? scanBaseAccount(cursor) : undefined
  if (cursor.uint32() !== INVOKE_HOST_FUNCTION) return undefined
  if (cursor.uint32() !== INVOKE_CONTRACT) return undefined
  const contract = scanAddress(cursor)
  const functionName = cursor.opaque().toString()
  const args = cursor.list(scanScValue)
  const signers = cursor.list(scanAuthEntry).filter((signer) => signer !== undefined)
  return { contract, functionName, args, signers, ...(source !== undefined && { source }) }
}
