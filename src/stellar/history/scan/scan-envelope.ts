/**
 * Reads from a transaction's envelope who authorized what: everything up to its last operation, and not the resources and
 * signatures after it.
 */
import { xdr } from '@stellar/stellar-sdk'
import { scanBareAccount, scanBaseAccount } from './scan-address.ts'
import { type ScannedOperation, scanOperation } from './scan-operation.ts'
import { UnknownXdr, XdrCursor } from './xdr-cursor.ts'

export interface ScannedEnvelope {
  /** `G...`, of the inner transaction if there is a fee bump; without the id of a muxed account. */
  readonly source: string
  /** `G...`; of the fee bump, absent without one. */
  readonly feeSource?: string
  /** Text as it is, ids as digits, hashes as hex; absent without a memo. */
  readonly memo?: string
  /** All of them, in their order. The ledger takes a contract's call only alone, which is not assumed here. */
  readonly operations: readonly ScannedOperation[]
}

/** Throws RangeError when the bytes are no `TransactionEnvelope`, and UnknownXdr for a host function that is not known. */
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
  const operations = scanOperations(cursor)
  return { source, operations, ...(memo !== undefined && { memo }) }
}

function scanOperations(cursor: XdrCursor): readonly ScannedOperation[] {
  const count = cursor.uint32()
  if (count === 1) return [scanOperation(cursor)]
  // Where one of several ends, only a decoder of all kinds of operations knows.
  return operationsOf(cursor.bytes).map((operation) =>
    scanOperation(new XdrCursor(Buffer.from(operation.toXdr()))),
  )
}

/** The authorization entries of all operations, decoded. Throws RangeError when the bytes are no `TransactionEnvelope`. */
export const authorizationsOf = (bytes: Buffer): readonly xdr.SorobanAuthorizationEntry[] =>
  operationsOf(bytes).flatMap(({ body }) =>
    body.type === 'invokeHostFunction' ? body.invokeHostFunctionOp.auth : [],
  )

function operationsOf(bytes: Buffer): readonly xdr.Operation[] {
  const envelope = decode(bytes)
  switch (envelope.type) {
    case 'envelopeTypeTxV0':
      return envelope.v0.tx.operations
    case 'envelopeTypeTx':
      return envelope.v1.tx.operations
    case 'envelopeTypeTxFeeBump':
      return envelope.feeBump.tx.innerTx.v1.tx.operations
  }
}

function decode(bytes: Buffer): xdr.TransactionEnvelope {
  try {
    return xdr.TransactionEnvelope.fromXdr(bytes)
  } catch (cause) {
    throw new RangeError('no TransactionEnvelope', { cause })
  }
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
