/** A submitted transaction, decoded and hashed once, for validation and apply. */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, unmuxed } from '../ledger/account-id.ts'

/** The inner or only transaction of an envelope. */
export interface Transaction {
  readonly xdr: xdr.Transaction
  readonly hash: Uint8Array
  readonly source: AccountId
  readonly sequence: bigint
  /** The whole fee bid in stroops. Inside a fee bump only the resource fee in it matters. */
  readonly fee: bigint
  readonly operations: readonly xdr.Operation[]
  readonly signatures: readonly xdr.DecoratedSignature[]
  readonly conditions: Conditions
  /** `sorobanData` of the transaction. */
  readonly soroban: xdr.SorobanTransactionData | undefined
  /** Bytes of the inner or only envelope, on which the size fee is charged. */
  readonly size: number
}

/** Preconditions (CAP-21); missing ones at their neutral value. */
interface Conditions {
  readonly timeBounds: xdr.TimeBounds | null
  readonly ledgerBounds: xdr.LedgerBounds | null
  readonly minSequence: bigint | null
  readonly minSequenceAge: bigint
  readonly minSequenceLedgerGap: number
  readonly extraSigners: readonly xdr.SignerKey[]
}

interface FeeBump {
  readonly hash: Uint8Array
  readonly signatures: readonly xdr.DecoratedSignature[]
}

export interface Envelope {
  readonly envelopeXdr: Uint8Array
  /** Hex; for a fee bump that of the outer transaction. */
  readonly hash: string
  readonly feeBump: FeeBump | undefined
  readonly transaction: Transaction
  readonly feeSource: AccountId
  /** The whole fee bid of the fee source, in stroops. */
  readonly fee: bigint
  /** Operations for the fee: a fee bump counts as one more (CAP-15). */
  readonly feeOperations: number
  /** A transaction of the faucet, which needs no signatures. */
  readonly trusted: boolean
}

const sorobanOperations: ReadonlySet<string> = new Set([
  'invokeHostFunction',
  'extendFootprintTtl',
  'restoreFootprint',
])

export const isSorobanOperation = (operation: xdr.Operation): boolean =>
  sorobanOperations.has(operation.body.type)

export const isSoroban = ({ operations }: Transaction): boolean =>
  operations[0] !== undefined && isSorobanOperation(operations[0])

interface EnvelopeOptions {
  readonly networkId: Uint8Array
  readonly trusted?: boolean
}

/** Throws when the bytes are not a TransactionEnvelope. */
export function decodeEnvelope(envelopeXdr: Uint8Array, options: EnvelopeOptions): Envelope {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  switch (envelope.type) {
    case 'envelopeTypeTxV0':
      return decodeEnvelope(toV1Envelope(envelope.v0).toXdr(), options)
    case 'envelopeTypeTx':
      return plainEnvelope(envelope.v1, envelopeXdr, options)
    case 'envelopeTypeTxFeeBump':
      return feeBumpEnvelope(envelope.feeBump, envelopeXdr, options)
  }
}

/** The envelope from before protocol 13; the signed bytes are the same in both. */
function toV1Envelope({ tx, signatures }: xdr.TransactionV0Envelope): xdr.TransactionEnvelope {
  const { sourceAccountEd25519, fee, seqNum, timeBounds, memo, operations } = tx
  const v1 = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(sourceAccountEd25519),
    fee,
    seqNum,
    cond: timeBounds ? xdr.Preconditions.precondTime(timeBounds) : xdr.Preconditions.precondNone(),
    memo,
    operations,
    ext: xdr.TransactionExt.v0(),
  })
  return xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx: v1, signatures }),
  )
}

function plainEnvelope(
  v1: xdr.TransactionV1Envelope,
  envelopeXdr: Uint8Array,
  { networkId, trusted = false }: EnvelopeOptions,
): Envelope {
  const transaction = decodeTransaction(v1, envelopeXdr, networkId)
  return {
    envelopeXdr,
    hash: Buffer.from(transaction.hash).toString('hex'),
    feeBump: undefined,
    transaction,
    feeSource: transaction.source,
    fee: transaction.fee,
    feeOperations: transaction.operations.length,
    trusted,
  }
}

function feeBumpEnvelope(
  feeBump: xdr.FeeBumpTransactionEnvelope,
  envelopeXdr: Uint8Array,
  { networkId, trusted = false }: EnvelopeOptions,
): Envelope {
  const { tx, signatures } = feeBump
  const outer = signedPart(envelopeXdr, signatures)
  const start = muxedBytes(tx.feeSource) + FEE_BYTES
  const inner = outer.subarray(start, outer.length - EXTENSION_BYTES)
  const transaction = decodeTransaction(tx.innerTx.v1, inner, networkId)
  const hash = payloadHash(networkId, ENVELOPE_TYPE_TX_FEE_BUMP, outer)
  return {
    envelopeXdr,
    hash: Buffer.from(hash).toString('hex'),
    feeBump: { hash, signatures },
    transaction,
    feeSource: unmuxed(tx.feeSource),
    fee: tx.fee,
    feeOperations: transaction.operations.length + 1,
    trusted,
  }
}

function decodeTransaction(
  { tx, signatures }: xdr.TransactionV1Envelope,
  envelopeXdr: Uint8Array,
  networkId: Uint8Array,
): Transaction {
  return {
    xdr: tx,
    hash: payloadHash(networkId, ENVELOPE_TYPE_TX, signedPart(envelopeXdr, signatures)),
    source: unmuxed(tx.sourceAccount),
    sequence: tx.seqNum,
    fee: BigInt(tx.fee),
    operations: tx.operations,
    signatures,
    conditions: conditionsOf(tx.cond),
    soroban: tx.ext.type === 'sorobanData' ? tx.ext.sorobanData : undefined,
    size: envelopeXdr.length,
  }
}

// Encoding a transaction costs more than checking it, so the signed part is cut out of the envelope.
const TYPE_BYTES = 4
const FEE_BYTES = 8
const EXTENSION_BYTES = 4

/** The bytes between the envelope's type and its signatures. */
function signedPart(
  envelopeXdr: Uint8Array,
  signatures: readonly xdr.DecoratedSignature[],
): Uint8Array {
  const LIST_LENGTH = 4
  const HINT_AND_LENGTH = 8
  const padded = (length: number): number => Math.ceil(length / 4) * 4
  const after = signatures.reduce(
    (sum, { signature }) => sum + HINT_AND_LENGTH + padded(signature.value.length),
    LIST_LENGTH,
  )
  return envelopeXdr.subarray(TYPE_BYTES, envelopeXdr.length - after)
}

/** Type and key, and for a muxed account the id. */
const muxedBytes = ({ type }: xdr.MuxedAccount): number => (type === 'keyTypeEd25519' ? 36 : 44)

const ENVELOPE_TYPE_TX = 2
const ENVELOPE_TYPE_TX_FEE_BUMP = 5

/** SHA-256 over network id, envelope type and transaction (TransactionSignaturePayload). */
function payloadHash(networkId: Uint8Array, type: number, transactionXdr: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(networkId)
    .update(Uint8Array.of(0, 0, 0, type))
    .update(transactionXdr)
    .digest()
}

function conditionsOf(conditions: xdr.Preconditions): Conditions {
  const v2 = conditions.type === 'precondV2' ? conditions.v2 : undefined
  return {
    timeBounds:
      conditions.type === 'precondTime' ? conditions.timeBounds : (v2?.timeBounds ?? null),
    ledgerBounds: v2?.ledgerBounds ?? null,
    minSequence: v2?.minSeqNum ?? null,
    minSequenceAge: v2?.minSeqAge ?? 0n,
    minSequenceLedgerGap: v2?.minSeqLedgerGap ?? 0,
    extraSigners: v2?.extraSigners ?? [],
  }
}
