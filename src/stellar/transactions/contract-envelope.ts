/** The signed transaction of one contract operation; the sponsor pays for it. */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { Signer } from '../accounts/signer.ts'
import { feeBumpHash, signatureOf, toHex, transactionHash } from '../accounts/signing.ts'
import { type ContractWork, operationOf } from '../contracts/contract-work.ts'
import type { SignedEnvelope } from './channel-envelopes.ts'

export interface ContractWorkTerms {
  readonly passphrase: string
  readonly work: ContractWork
  /** Pays the fee. */
  readonly sponsor: Signer
  /** A channel as source of the transaction, inside a fee bump. Absent: the sponsor is the source. */
  readonly source?: Signer | undefined
  /** Sequence number of this transaction: one more than the source account's. */
  readonly sequence: bigint
  /** Base64 XDR `SorobanTransactionData`, from the simulation. */
  readonly transactionData: string
  /** Bid per operation, without the resource fee. */
  readonly inclusionFee: Stroops
  /** Unix seconds after which the network refuses the transaction. */
  readonly maxTime: bigint
}

/** Builds and signs. Throws RangeError when the fee exceeds a transaction's 32 bits. */
export function contractWorkEnvelope(terms: ContractWorkTerms): SignedEnvelope {
  const { passphrase, work, sponsor, inclusionFee, maxTime } = terms
  const { source = sponsor } = terms
  const data = xdr.SorobanTransactionData.fromXdr(terms.transactionData, 'base64')
  const fee = inclusionFee + data.resourceFee
  if (fee > 0xffff_ffffn) throw new RangeError(`a fee of ${fee} stroops fits no transaction`)
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(source.publicKey),
    fee: Number(fee),
    seqNum: terms.sequence,
    cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime })),
    memo: xdr.Memo.memoNone(),
    operations: [operationOf(work)],
    ext: xdr.TransactionExt.sorobanData(data),
  })
  const hash = transactionHash(tx, passphrase)
  // The sponsor authorizes what it deploys. A signature that no operation needs makes the network refuse.
  const signers = new Set(work.kind === 'create' ? [source, sponsor] : [source])
  const signatures = [...signers].map((signer) => signatureOf(signer, hash))
  const signed = new xdr.TransactionV1Envelope({ tx, signatures })
  if (source === sponsor) {
    const envelope = xdr.TransactionEnvelope.envelopeTypeTx(signed)
    return {
      envelopeXdr: envelope.toXdr('base64'),
      hash: toHex(hash),
      totalFee: asStroops(fee),
      maxTime,
    }
  }
  // A fee bump counts as one more operation (CAP-15).
  const totalFee = contractWorkFee(inclusionFee, asStroops(data.resourceFee))
  const bump = new xdr.FeeBumpTransaction({
    feeSource: xdr.MuxedAccount.keyTypeEd25519(sponsor.publicKey),
    fee: totalFee,
    innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(signed),
    ext: xdr.FeeBumpTransactionExt.v0(),
  })
  const bumpHash = feeBumpHash(bump, passphrase)
  const envelope = xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({ tx: bump, signatures: [signatureOf(sponsor, bumpHash)] }),
  )
  return { envelopeXdr: envelope.toXdr('base64'), hash: toHex(bumpHash), totalFee, maxTime }
}

/** The most that it costs inside a fee bump: the bid for both operations, and the resource fee once. */
export const contractWorkFee = (inclusionFee: Stroops, resourceFee: Stroops): Stroops =>
  asStroops(inclusionFee * 2n + resourceFee)
