/** The signed transaction of one contract operation; the sponsor pays for it. */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { AnySigner } from '../accounts/envelope-signer.ts'
import type { Signer } from '../accounts/signer.ts'
import { toHex } from '../accounts/signing.ts'
import { type ContractWork, operationOf } from '../contracts/contract-work.ts'
import {
  envelopeOf,
  type SignedEnvelope,
  signFeeBump,
  signTransaction,
} from './sign-transaction.ts'

export interface ContractWorkTerms {
  readonly network: NetworkId
  readonly work: ContractWork
  /** Pays the fee. */
  readonly sponsor: AnySigner
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

/** Builds and signs. Throws RangeError when the fee exceeds a transaction's 32 bits, and `SignerError`. */
export async function contractWorkEnvelope(terms: ContractWorkTerms): Promise<SignedEnvelope> {
  const { network, work, sponsor, inclusionFee, maxTime } = terms
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
  const context = { network, purpose: 'contract' } as const
  // The sponsor authorizes what it deploys.
  const signers = work.kind === 'create' ? [source, sponsor] : [source]
  const inner = await signTransaction(tx, context, signers)
  if (source === sponsor) {
    const hash = toHex(inner.hash)
    return { envelopeXdr: envelopeOf(inner.signed), hash, totalFee: asStroops(fee), maxTime }
  }
  // A fee bump counts as one more operation (CAP-15).
  const totalFee = contractWorkFee(inclusionFee, asStroops(data.resourceFee))
  const { envelope, hash } = await signFeeBump(inner, context, { payer: sponsor, fee: totalFee })
  return { envelopeXdr: envelope.toXdr('base64'), hash, totalFee, maxTime }
}

/** The most that it costs inside a fee bump: the bid for both operations, and the resource fee once. */
export const contractWorkFee = (inclusionFee: Stroops, resourceFee: Stroops): Stroops =>
  asStroops(inclusionFee * 2n + resourceFee)
