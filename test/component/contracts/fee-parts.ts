/** The fee of a settlement by its parts, as the network charged it. */
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'

// Prices of testnet and pubnet under SLP-4, stroops; `src/localnet/genesis/network-limits.ts` has them as settings.
const PER_10_000_INSTRUCTIONS = 7
const PER_DISK_READ = 1_563
const PER_WRITE = 2_500
const PER_KB_READ = 447
const PER_KB_WRITTEN = 875
const PER_KB_TRANSACTION = 4_059 + 406
const PER_KB_HISTORY = 4_059
const KB = 1_024
/** Bytes of a result, which history stores besides the envelope. */
const RESULT_SIZE = 300

export interface FeeParts {
  /** Stroops: each part, and all of them. */
  readonly stroops: {
    readonly compute: number
    readonly reads: number
    readonly writes: number
    readonly bytes: number
    readonly rent: number
    readonly events: number
    readonly inclusion: number
    readonly total: number
  }
}

export function feePartsOf({
  envelopeXdr,
  resultXdr,
  resultMetaXdr,
}: AppliedTransaction): FeeParts {
  const { resources } = sorobanDataOf(envelopeXdr)
  const { footprint } = resources
  const keys = [...footprint.readOnly, ...footprint.readWrite]
  const diskReads = keys.filter(({ type }) => type === 'account' || type === 'trustline').length
  const writes = footprint.readWrite.length
  // The network does not count the bytes of the fee bump around it.
  const size = innerOf(envelopeXdr).toXdr().length
  const charged = chargedBy(resultMetaXdr)
  const total = Number(xdr.TransactionResult.fromXdr(resultXdr).feeCharged)
  const rent = Number(charged.rentFeeCharged)
  const events = Number(charged.totalRefundableResourceFeeCharged) - rent
  const stroops = {
    compute: per(resources.instructions, PER_10_000_INSTRUCTIONS, 10_000),
    reads: diskReads * PER_DISK_READ + per(resources.diskReadBytes, PER_KB_READ, KB),
    writes: writes * PER_WRITE + per(resources.writeBytes, PER_KB_WRITTEN, KB),
    bytes:
      per(size + RESULT_SIZE, PER_KB_HISTORY, KB) +
      per(size, PER_KB_TRANSACTION - PER_KB_HISTORY, KB),
    rent,
    events,
    inclusion: total - rent - events - Number(charged.totalNonRefundableResourceFeeCharged),
    total,
  }
  return { stroops }
}

const per = (amount: number, price: number, unit: number): number =>
  Math.ceil((amount * price) / unit)

function innerOf(envelopeXdr: Uint8Array): xdr.TransactionEnvelope {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error('not a fee bump')
  return xdr.TransactionEnvelope.envelopeTypeTx(envelope.feeBump.tx.innerTx.v1)
}

function sorobanDataOf(envelopeXdr: Uint8Array): xdr.SorobanTransactionData {
  const inner = innerOf(envelopeXdr)
  const ext = inner.type === 'envelopeTypeTx' ? inner.v1.tx.ext : undefined
  if (ext?.type !== 'sorobanData') throw new Error('not a call of a contract')
  return ext.sorobanData
}

function chargedBy(resultMetaXdr: Uint8Array) {
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
  const ext = meta.type === 'v4' ? meta.v4.sorobanMeta?.ext : undefined
  if (ext?.type !== 'v1') throw new Error('the meta has no fees')
  return ext.v1
}
