/**
 * Transactions that create and merge channel accounts. A channel holds no lumens: the sponsor pays its
 * reserve (CAP-33) and gets it back when the channel is merged.
 */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../core/stroops.ts'
import type { Signer } from './signer.ts'
import { signatureOf, toHex, transactionHash } from './signing.ts'

/** An envelope holds up to 20 signatures: the sponsor's, and one of each channel. */
export const CHANNELS_PER_ENVELOPE = 19

export interface ChannelTerms {
  readonly passphrase: string
  /** Source of the transaction; pays its fee and the reserves. */
  readonly sponsor: Signer
  /** Of this transaction: one more than the sponsor account's. */
  readonly sequence: bigint
  /** At least one, at most `CHANNELS_PER_ENVELOPE`. */
  readonly channels: readonly Signer[]
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** Unix seconds after which the network refuses the transaction. */
  readonly maxTime: bigint
}

export interface SignedEnvelope {
  /** Base64 XDR. */
  readonly envelopeXdr: string
  /** 64 hex digits. */
  readonly hash: string
  readonly totalFee: Stroops
  readonly maxTime: bigint
}

/** Creates all channels or none, with balance zero and sponsored reserves. */
export const provisionEnvelope = (terms: ChannelTerms): SignedEnvelope =>
  sign(
    terms,
    terms.channels.flatMap((channel) => [
      operation(
        xdr.OperationBody.beginSponsoringFutureReserves(
          new xdr.BeginSponsoringFutureReservesOp({ sponsoredId: accountId(channel) }),
        ),
      ),
      operation(
        xdr.OperationBody.createAccount(
          new xdr.CreateAccountOp({ destination: accountId(channel), startingBalance: 0n }),
        ),
      ),
      operation(xdr.OperationBody.endSponsoringFutureReserves(), channel),
    ]),
  )

/** Merges all channels or none into the sponsor, which frees the reserves it sponsors. */
export const retireEnvelope = (terms: ChannelTerms): SignedEnvelope =>
  sign(
    terms,
    terms.channels.map((channel) =>
      operation(xdr.OperationBody.accountMerge(muxed(terms.sponsor)), channel),
    ),
  )

const accountId = ({ publicKey }: Signer) => xdr.PublicKey.publicKeyTypeEd25519(publicKey)
const muxed = ({ publicKey }: Signer) => xdr.MuxedAccount.keyTypeEd25519(publicKey)

const operation = (body: xdr.OperationBody, source?: Signer): xdr.Operation =>
  new xdr.Operation({ sourceAccount: source ? muxed(source) : null, body })

function sign(terms: ChannelTerms, operations: xdr.Operation[]): SignedEnvelope {
  const { passphrase, sponsor, channels, sequence, maxTime } = terms
  if (channels.length === 0 || channels.length > CHANNELS_PER_ENVELOPE) {
    throw new RangeError(
      `one envelope takes 1 to ${CHANNELS_PER_ENVELOPE} channels, not ${channels.length}`,
    )
  }
  const totalFee = terms.inclusionFee * BigInt(operations.length)
  const tx = new xdr.Transaction({
    sourceAccount: muxed(sponsor),
    fee: Number(totalFee),
    seqNum: sequence,
    cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime })),
    memo: xdr.Memo.memoNone(),
    operations,
    ext: xdr.TransactionExt.v0(),
  })
  const hash = transactionHash(tx, passphrase)
  const signatures = [sponsor, ...channels].map((signer) => signatureOf(signer, hash))
  const envelope = xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures }),
  )
  return {
    envelopeXdr: envelope.toXdr('base64'),
    hash: toHex(hash),
    totalFee: asStroops(totalFee),
    maxTime,
  }
}
