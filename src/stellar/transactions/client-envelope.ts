/**
 * Reads the envelope that a payer's client sent into plain data. The facilitator never submits it: it
 * takes out the call and the authorization entries and builds a transaction of its own.
 */
import { encodeMuxedAccountToAddress, xdr } from '@stellar/stellar-sdk'
import { messageOf } from '../../platform/core/text/error-message.ts'
import {
  type AuthEntry,
  type ContractCall,
  readAuthEntry,
  readContractCall,
} from '../authorization/auth-entry.ts'

export interface ClientEnvelope {
  /** `G...` or `M...`. Stock clients name the all-zero account. */
  readonly source: string
  readonly hasMemo: boolean
  /** Names of the preconditions other than time bounds that are set. */
  readonly preconditions: readonly string[]
  readonly operations: readonly ClientOperation[]
}

interface ClientOperation {
  /** XDR name, for instance `invokeHostFunction`. */
  readonly type: string
  /** `G...` or `M...`; absent when it is the transaction's. */
  readonly source?: string
  readonly invocation?: HostInvocation
}

/** An `invokeHostFunction` operation, as bytes to pass on and as data to check. */
export interface HostInvocation {
  /** XDR `HostFunction`. */
  readonly functionXdr: Uint8Array
  readonly auth: readonly AuthEntry[]
  /** The called contract function; absent for uploads and creations of contracts. */
  readonly call?: ContractCall
}

export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
}

/**
 * Reads a base64 `TransactionEnvelope`. Throws `EnvelopeError` unless it is a version 1
 * transaction in the one canonical encoding: standard base64 with padding, no spare bytes.
 */
export function readClientEnvelope(base64: string): ClientEnvelope {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0) throw new EnvelopeError('the transaction is empty')
  if (bytes.toString('base64') !== base64) {
    throw new EnvelopeError('the transaction is not canonical base64')
  }
  try {
    return readTransaction(versionOne(bytes))
  } catch (cause) {
    if (cause instanceof EnvelopeError) throw cause
    const detail = messageOf(cause)
    throw new EnvelopeError(`the transaction is not a TransactionEnvelope: ${detail}`, { cause })
  }
}

function versionOne(bytes: Uint8Array): xdr.Transaction {
  const envelope = xdr.TransactionEnvelope.fromXdr(bytes)
  // With two encodings, one payment would look like two wherever bytes are compared.
  if (Buffer.compare(envelope.toXdr(), bytes) !== 0) {
    throw new EnvelopeError('the transaction is not canonical XDR')
  }
  switch (envelope.type) {
    case 'envelopeTypeTx':
      return envelope.v1.tx
    case 'envelopeTypeTxFeeBump':
      throw new EnvelopeError('the envelope is a fee bump, expected a version 1 transaction')
    case 'envelopeTypeTxV0':
      throw new EnvelopeError('the envelope is of version 0, expected version 1')
  }
}

const readTransaction = (tx: xdr.Transaction): ClientEnvelope => ({
  source: encodeMuxedAccountToAddress(tx.sourceAccount),
  hasMemo: tx.memo.type !== 'memoNone',
  preconditions: tx.cond.type === 'precondV2' ? setPreconditions(tx.cond.v2) : [],
  operations: tx.operations.map(readOperation),
})

function setPreconditions(cond: xdr.PreconditionsV2): string[] {
  const set: Record<string, boolean> = {
    ledgerBounds: cond.ledgerBounds !== null,
    minSeqNum: cond.minSeqNum !== null,
    minSeqAge: cond.minSeqAge !== 0n,
    minSeqLedgerGap: cond.minSeqLedgerGap !== 0,
    extraSigners: cond.extraSigners.length > 0,
  }
  return Object.keys(set).filter((name) => set[name])
}

function readOperation({ sourceAccount, body }: xdr.Operation): ClientOperation {
  return {
    type: body.type,
    ...(sourceAccount && { source: encodeMuxedAccountToAddress(sourceAccount) }),
    ...(body.type === 'invokeHostFunction' && {
      invocation: readInvocation(body.invokeHostFunctionOp),
    }),
  }
}

function readInvocation({ hostFunction, auth }: xdr.InvokeHostFunctionOp): HostInvocation {
  return {
    functionXdr: hostFunction.toXdr(),
    auth: auth.map(readAuthEntry),
    ...(hostFunction.type === 'hostFunctionTypeInvokeContract' && {
      call: readContractCall(hostFunction.invokeContract),
    }),
  }
}
